package serve

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
)

// OutboundHeader is in every check and webhook that a sett sends; its value is the sett's OutboundMark. Where such a request
// comes back, through a proxy or at another node, it must not be taken for a person's: a proxy may say of it who has signed
// in. No user can leave it out, because only sett itself makes these requests.
const OutboundHeader = "Sett-Outbound"

// OutboundMark returns the value of OutboundHeader of the sett, all its nodes and its agents, that people reach under a base
// URL. It tells receivers no more than that two requests came from the same sett.
func OutboundMark(baseURL string) string {
	sum := sha256.Sum256([]byte("sett outbound " + baseURL))
	return hex.EncodeToString(sum[:12])
}

// HasMark reports whether a request is one that the sett with this mark has sent.
func HasMark(r *http.Request, mark string) bool {
	return slices.Contains(r.Header[OutboundHeader], mark)
}
