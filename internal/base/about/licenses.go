package about

import _ "embed"

// Licenses are the texts that the authors of what the program contains ask us to pass on. make licenses writes them.
//
//go:embed THIRD-PARTY-LICENSES
var Licenses string
