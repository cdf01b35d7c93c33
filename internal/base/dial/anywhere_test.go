package dial

import (
	"net/netip"
	"testing"
)

func TestAnywhere(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"127.0.0.1", "::1", "10.0.0.1", "169.254.169.254", "0.0.0.0", "::", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "192.0.2.1", "2001:db8::1"} {
		if err := Anywhere().Check(netip.MustParseAddr(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}
