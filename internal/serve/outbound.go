package serve

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
)

// OutboundHeader is in every check and webhook that sett sends; its value is the OutboundMark. If such a request comes back,
// through a proxy or to another node, it must not be authenticated as a user: a proxy may add the user who is signed in. No
// user can remove the header, because only sett makes these requests.
const OutboundHeader = "Sett-Outbound"

// OutboundMark returns the value of OutboundHeader for all nodes and agents under a base URL. Receivers learn from it only
// that two requests came from the same server.
func OutboundMark(baseURL string) string {
	sum := sha256.Sum256([]byte("sett outbound " + baseURL))
	return hex.EncodeToString(sum[:12])
}

// HasMark reports whether a request is one that the sett with this mark has sent.
func HasMark(r *http.Request, mark string) bool {
	return slices.Contains(r.Header[OutboundHeader], mark)
}
