/* The sum of an int over all ranks, from a static library in C. */
#ifdef __cplusplus
extern "C"
#endif
int sum(int mine);
