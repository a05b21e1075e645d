package live

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// Sign signs the running program with entitlements (a property list), so that
// it may read processes of the same user, and says on w what it runs.
func Sign(w io.Writer, entitlements []byte) error {
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
	fmt.Fprintln(w, "$", strings.Join(args, " "))
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
	}
	fmt.Fprintln(w, "signed. Sign again after every build.")
	return nil
}
