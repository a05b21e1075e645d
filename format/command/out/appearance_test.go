package out

import "testing"

func TestIsUTF8(t *testing.T) {
	for _, tt := range []struct {
		all, ctype, lang string
		want             bool
	}{
		{"", "", "", false},
		{"", "", "C", false},
		{"", "", "en_US.UTF-8", true},
		{"", "", "de_DE.utf8@euro", true},
		{"", "UTF-8", "C", true},
		{"C", "UTF-8", "en_US.UTF-8", false},
		{"C.UTF-8", "", "C", true},
		{"", "de_DE.ISO-8859-1", "en_US.UTF-8", false},
	} {
		env := map[string]string{"LC_ALL": tt.all, "LC_CTYPE": tt.ctype, "LANG": tt.lang}
		if got := IsUTF8(func(name string) string { return env[name] }); got != tt.want {
			t.Errorf("%v: %v", env, got)
		}
	}
}
