package stackshot

// Types of items and containers (STACKSHOT_KCTYPE_*, STACKSHOT_KCCONTAINER_*).
const (
	typeLoadInfo32      = 0x30 // KCDATA_TYPE_LIBRARY_LOADINFO
	typeLoadInfo64      = 0x31
	typeTimebase        = 0x32
	typeAbsoluteTime    = 0x33
	typeUsecsSinceEpoch = 0x35

	typeIOStats           = 0x901
	typeMemory            = 0x902
	sortTask              = 0x903
	sortThread            = 0x904
	typeTask              = 0x905
	typeThread            = 0x906
	typeDonating          = 0x907
	typeSharedCache       = 0x908
	typeThreadName        = 0x909
	typeKernelFrame32     = 0x90a
	typeKernelFrame64     = 0x90b
	typeUserFrame32       = 0x90c
	typeUserFrame64       = 0x90d
	typeBootArgs          = 0x90e
	typeOSVersion         = 0x90f
	typePageSize          = 0x910
	typeJetsamLevel       = 0x911
	typeSince             = 0x912
	typeKernelLR32        = 0x913
	typeKernelLR64        = 0x914
	typeUserLR32          = 0x915
	typeUserLR64          = 0x916
	typeStillThreads      = 0x917 // NONRUNNABLE_TIDS
	typeStillTasks        = 0x918 // NONRUNNABLE_TASKS
	typeCPUTimes          = 0x919
	typeDuration          = 0x91a
	typeFaultStats        = 0x91b
	typeKernelCache       = 0x91c
	typeWaitInfo          = 0x91d
	typeGroupSnapshot     = 0x91e
	typeThreadGroup       = 0x91f
	typeCoalitionSnapshot = 0x920
	typeCoalition         = 0x921
	typePolicyVersion     = 0x922
	typeInstructions      = 0x923
	typeStackTop          = 0x924
	typeLayout            = 0x927 // SYS_SHAREDCACHE_LAYOUT
	typeQueueLabel        = 0x928
	typeTurnstile         = 0x929
	typeArchitecture      = 0x92a
	typeTextExec          = 0x92e
	typeEndingTask        = 0x930
	sortEndingTask        = 0x931
	typeAsyncStart        = 0x932
	typeAsyncLR64         = 0x933
	sortPortLabel         = 0x934
	typePortLabel         = 0x935
	typePortLabelName     = 0x936
	typeSuspension        = 0x938
	typeSuspender         = 0x939
	typeTaskDelta         = 0x940
	typeThreadDelta       = 0x941
	sortSharedCache       = 0x942
	typeCacheInfo         = 0x943
	typeCacheID           = 0x945
	typeCodeSigning       = 0x946
	typeOSBuild           = 0x947
)
