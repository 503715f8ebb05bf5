! A second source with a COMMON block and a SAVE variable.
subroutine add_to_common(x)
   implicit none
   integer, intent(in) :: x
   integer :: total, list(4)
   common /shared/ total, list
   integer, save :: calls = 0
   calls = calls + 1
   total = total + x
   list(1) = calls
end subroutine

block data
   implicit none
   integer :: total, list(4)
   common /shared/ total, list
   data total /1000/, list /4*7/
end block data
