int work(int n)
{
	return n + 1;
}

int main(void) { return work(1); }
