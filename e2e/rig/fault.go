package rig

import (
	"strconv"
	"time"
)

// Fault is a fault as the management interface shows it.
type Fault struct {
	ID           int64     `json:"id"`
	ProjectID    int64     `json:"project_id"`
	Klass        string    `json:"klass"`
	Message      string    `json:"message"`
	Component    string    `json:"component"`
	Action       string    `json:"action"`
	Environment  string    `json:"environment"`
	NoticesCount int64     `json:"notices_count"`
	Resolved     bool      `json:"resolved"`
	Ignored      bool      `json:"ignored"`
	Tags         []string  `json:"tags"`
	CreatedAt    time.Time `json:"created_at"`
	LastNoticeAt time.Time `json:"last_notice_at"`
	URL          string    `json:"url"`
}

// FaultPath is where a fault of the first project is.
func (s *Server) FaultPath(id int64) string {
	return s.Project() + "/faults/" + strconv.FormatInt(id, 10)
}

// Fault reads one fault.
func (s *Server) Fault(m Manager, id int64) (f Fault) {
	m.T.Helper()
	m.Get(s.FaultPath(id), &f)
	return f
}

// Faults reads all faults of the first project.
func (s *Server) Faults(m Manager) []Fault {
	m.T.Helper()
	return List[Fault](m, s.Project()+"/faults")
}

// Find returns the notice with the given id and the fault that it belongs to. It looks through every page of every
// fault, for a notice that is nowhere to be listed is lost to people.
func (s *Server) Find(m Manager, id string) (Fault, Notice) {
	m.T.Helper()
	for _, f := range s.Faults(m) {
		for _, n := range s.Notices(m, f.ID) {
			if n.ID == id {
				return f, n
			}
		}
	}
	m.T.Fatalf("notice %s is in no fault of the project", id)
	return Fault{}, Notice{}
}

// Only returns the one notice of the one fault of a class.
func (s *Server) Only(m Manager, class string) (Fault, Notice) {
	m.T.Helper()
	for _, f := range s.Faults(m) {
		if f.Klass != class {
			continue
		}
		if all := s.Notices(m, f.ID); len(all) == 1 {
			return f, all[0]
		}
	}
	m.T.Fatalf("there is no fault of %s with one notice", class)
	return Fault{}, Notice{}
}

// stats is what the account's detail says of the reported notices: one pair [unix time, count] a day.
type stats struct{ Stored, Limited, Ignored [][2]int64 }

// Stats returns how many notices the account counts.
func (s *Server) Stats(m Manager) stats {
	m.T.Helper()
	var account struct {
		APIStats stats `json:"api_stats"`
	}
	m.Get("/v2/accounts/"+s.AccountID, &account)
	return account.APIStats
}

// Sum adds up the counts of [unix time, count] pairs.
func Sum(pairs [][2]int64) (total int64) {
	for _, p := range pairs {
		total += p[1]
	}
	return total
}
