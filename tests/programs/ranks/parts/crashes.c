/* A library that writes where it is told. */
void write_to(int *where);
void write_to(int *where)
{
    *where = 5;
}
