package live

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Sign signs the running program with entitlements (a property list), so that it may read
// processes of the same user. It reports each command that it runs to say.
func Sign(say func(line string), entitlements []byte) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	plist, err := os.CreateTemp("", "stacksnap-*.plist")
	if err != nil {
		return err
	}
	defer os.Remove(plist.Name())
	_, err = plist.Write(entitlements)
	if closeErr := plist.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	args := []string{"codesign", "--force", "--options", "runtime", "--sign", "-", "--entitlements", plist.Name(), self}
	say("$ " + strings.Join(args, " "))
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
	}
	say("signed. Sign again after every build.")
	return nil
}
