package auth

import (
	"net/http"

	"sett/internal/sett"
	"sett/internal/store/uptime"
)

// Agent returns the agent whose token the request carries as Bearer. The error is Unauthenticated for a missing, wrong or
// revoked token.
func Agent(s *uptime.Store, r *http.Request) (sett.Agent, error) {
	refused := sett.Errorf(sett.Unauthenticated, "This requires the token of an agent. Create one with: sett agents add NAME")
	token := tokenOf(r)
	if token == "" {
		return sett.Agent{}, refused
	}
	a, err := s.AgentByHash(r.Context(), HashToken(token))
	if sett.CodeOf(err) == sett.NotFound {
		return a, refused
	}
	return a, err
}
