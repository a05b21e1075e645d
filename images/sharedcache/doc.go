// Package sharedcache reads the files of dyld's shared cache, in which macOS and iOS
// keep their libraries, for cores that lack them: the main file, and the subcaches
// and the file of local symbols that its header names (dyld_cache_header and what it
// refers to, <mach-o/dyld_cache_format.h>). The size of the header determines the
// layout, as in dyld.
package sharedcache
