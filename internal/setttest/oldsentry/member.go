package oldsentry

import "slices"

// Member is someone of the organization.
type Member struct{ Email, Name, Role string }

// Team has members and projects.
type Team struct {
	Slug     string
	Projects []string // slugs
	Members  []string // email addresses
}

func (m *Member) row() map[string]any {
	return map[string]any{"id": m.Email, "email": m.Email, "name": m.Name, "orgRole": m.Role, "role": m.Role, "pending": false}
}

func (s *Server) members() []any {
	rows := []any{}
	for _, m := range s.Members {
		rows = append(rows, m.row())
	}
	return rows
}

func (s *Server) teams() []any {
	rows := []any{}
	for _, t := range s.Teams {
		projects := []any{}
		for _, slug := range t.Projects {
			projects = append(projects, map[string]any{"slug": slug})
		}
		rows = append(rows, map[string]any{"id": t.Slug, "slug": t.Slug, "name": t.Slug, "projects": projects, "memberCount": len(t.Members)})
	}
	return rows
}

func (s *Server) membersOf(slug string) (any, bool) {
	for _, t := range s.Teams {
		if t.Slug != slug {
			continue
		}
		rows := []any{}
		for _, m := range s.Members {
			if slices.Contains(t.Members, m.Email) {
				rows = append(rows, m.row())
			}
		}
		return rows, true
	}
	return nil, false
}
