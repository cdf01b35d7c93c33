package oldsentry

import (
	"fmt"
	"testing"
	"time"
)

// SmallKey is the key of the project of StartSmall.
const SmallKey = "a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4"

// StartSmall starts a server with the project web. Its two errors, Error0 and Error1, have occurred 10 times each in the last hour.
func StartSmall(t testing.TB, now time.Time) *Server {
	t.Helper()
	p := &Project{Slug: "web", Platform: "go", Key: SmallKey, Environments: []string{"production"}}
	for i := range 2 {
		p.Issues = append(p.Issues, &Issue{
			ID: fmt.Sprint(4000 + i), Short: fmt.Sprint("WEB-", i), Title: "An error", Type: "Error", Value: "said", Status: "unresolved",
			First: now.Add(-time.Hour), Last: now.Add(-time.Minute), Count: 10,
			Events: []Event{{ID: fmt.Sprintf("%032x", 0xabc000+i), Hash: "h", Sent: map[string]any{
				"platform": "go", "exception": map[string]any{"values": []any{map[string]any{"type": fmt.Sprint("Error", i), "value": "said"}}},
			}}},
		})
	}
	return (&Server{Projects: []*Project{p}}).Start(t)
}
