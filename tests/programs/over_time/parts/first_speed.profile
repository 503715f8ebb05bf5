# The host "first" at a part of its speed.
0 0.8
1.5 1.0
4 0.25
9 2
LOOPAFTER 3
