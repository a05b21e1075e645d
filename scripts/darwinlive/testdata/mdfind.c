// mdfind stands in for Spotlight: of any UUID it knows what $MDFIND_ANSWER names.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
	const char *query = "com_apple_xcode_dsym_uuids == ", *answer = getenv("MDFIND_ANSWER");
	if (argc != 2 || strncmp(argv[1], query, strlen(query)) != 0 || strlen(argv[1]) != strlen(query) + 36 || !answer)
		return 1;
	puts(answer);
	return 0;
}
