package dial

import (
	"net"
	"net/netip"

	"sett/internal/setttest/nameserver"
)

// resolver returns a resolver whose name server answers what the test says.
func resolver(answer func(name string) []netip.Addr) *net.Resolver {
	return nameserver.Resolver(func(name string) nameserver.Answer { return nameserver.Answer{Addrs: answer(name)} })
}
