package images

import "testing"

func TestPlainly(t *testing.T) {
	for symbol, want := range map[string]string{
		"_D3std5stdio4File5closeMFZv":                            "std.stdio.File.close",
		"_D4core6thread8osthread6Thread5startMFNbZCQBkQBgQBdQBb": "core.thread.osthread.Thread.start",
		"_D2rt6dmain212_d_run_main2UAAamPUQgZiZ6runAllMFZv":      "",
		"_D2rt6dmain211_d_run_mainFZi":                           "rt.dmain2._d_run_main",
		"_D2rt6dmain27runMainFZi":                                "rt.dmain2.runMain",
		"_D3app4main":                                            "",
		"_D3app1x":                                               "",
		"_D3appFZv":                                              "",
		"_D3app5__TfxZ3runFZv":                                   "",
		"_D3app7__T3fooZ3fooFZv":                                 "",
		"_D99999999999999999999999x":                             "",
		"_D9app":                                                 "",
		"_D":                                                     "",
		"_Dmain":                                                 "D main",
		"_Dx":                                                    "",
		"camlStdlib__List__map_290":                              "Stdlib.List.map",
		"camlStdlib__List.map_290":                               "Stdlib.List.map",
		"camlMain__fun_1203":                                     "Main.fun",
		"camlMain__entry":                                        "",
		"camlMain_12":                                            "",
		"caml_alloc_12":                                          "",
		"caml":                                                   "",
		"caml_":                                                  "",
		"camlMain__$2b_12":                                       "",
		"camlMain___12":                                          "",
		"main":                                                   "",
		"_ZN1a5parseEi":                                          "",
	} {
		if got, ok := plainly(symbol); ok != (want != "") || ok && got != want {
			t.Errorf("%s: %q, %t", symbol, got, ok)
		}
	}
}
