/* A library that keeps a list of what its users register, as those for serialization do. */
struct node {
    struct node *next;
    int value;
};

static struct node *head;

void registry_add(struct node *node)
{
    node->next = head;
    head = node;
}

int registry_sum(void)
{
    int sum = 0;
    for (struct node *node = head; node; node = node->next)
        sum += node->value;
    return sum;
}
