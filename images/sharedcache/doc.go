// Package sharedcache reads the files of dyld's shared cache, in which macOS and iOS
// keep their libraries, for cores that lack them: the main file, the subcaches and the
// file of local symbols that its header names (dyld_cache_header and what it leads to,
// <mach-o/dyld_cache_format.h>). In which layout they are is told by how long the
// header is, as dyld does it.
package sharedcache
