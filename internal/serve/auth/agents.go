package auth

import (
	"net/http"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store/uptimedb"
)

// Agent returns the agent whose token the request carries as Bearer. The error is Unauthenticated for a missing, wrong or
// revoked token.
func Agent(s *uptimedb.Store, r *http.Request) (checks.Agent, error) {
	refused := sett.Errorf(sett.Unauthenticated, "This requires the token of an agent. Create one with: sett agents add NAME")
	token := tokenOf(r)
	if token == "" {
		return checks.Agent{}, refused
	}
	a, err := s.AgentByHash(r.Context(), HashToken(token))
	if sett.CodeOf(err) == sett.NotFound {
		return a, refused
	}
	return a, err
}
