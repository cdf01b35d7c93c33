package licenses

import (
	"fmt"
	"strings"
)

const preamble = `sett is licensed under the Apache License 2.0, whose text is in LICENSE. Its program contains the modules below and Go's standard library (stdlib).
Their authors ask everyone who passes the program on to pass on these texts too.

golang.org/x/net has a copy of the Public Suffix List (publicsuffix.org), and the container image the root certificates of Mozilla's list. Both are
under the Mozilla Public License 2.0: https://mozilla.org/MPL/2.0/
`

// Write returns the texts of some modules, each text once, after a list of the modules.
func Write(modules []Module) []byte {
	var b strings.Builder
	b.WriteString(preamble + "\n")
	of := map[string][]string{} // the names of its files, by text
	var texts []string
	for _, m := range modules {
		// Go's version depends on the machine that builds, which its texts do not.
		fmt.Fprintf(&b, "%s: %s\n", strings.TrimSpace(m.Path+" "+m.Version), strings.Join(m.IDs, ", "))
		for _, t := range m.Texts {
			if of[t.Body] == nil {
				texts = append(texts, t.Body)
			}
			of[t.Body] = append(of[t.Body], m.Path+"/"+t.Name)
		}
	}
	for _, t := range texts {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s", strings.Repeat("=", 80), strings.Join(of[t], "\n"), t)
	}
	return []byte(b.String())
}
