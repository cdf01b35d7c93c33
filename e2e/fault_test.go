package e2e

import (
	"strconv"
	"time"
)

// fault is a fault as the management interface shows it.
type fault struct {
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

// faultPath is where a fault of the first project is.
func (s *server) faultPath(id int64) string {
	return s.project() + "/faults/" + strconv.FormatInt(id, 10)
}

// fault reads one fault.
func (s *server) fault(m manager, id int64) (f fault) {
	m.t.Helper()
	m.get(s.faultPath(id), &f)
	return f
}

// faults reads all faults of the first project.
func (s *server) faults(m manager) []fault {
	m.t.Helper()
	return list[fault](m, s.project()+"/faults")
}

// find returns the notice with the given id and the fault that it belongs to. It looks through every page of every
// fault, for a notice that is nowhere to be listed is lost to people.
func (s *server) find(m manager, id string) (fault, notice) {
	m.t.Helper()
	for _, f := range s.faults(m) {
		for _, n := range s.notices(m, f.ID) {
			if n.ID == id {
				return f, n
			}
		}
	}
	m.t.Fatalf("notice %s is in no fault of the project", id)
	return fault{}, notice{}
}

// only returns the one notice of the one fault of a class.
func (s *server) only(m manager, class string) (fault, notice) {
	m.t.Helper()
	for _, f := range s.faults(m) {
		if f.Klass != class {
			continue
		}
		if all := s.notices(m, f.ID); len(all) == 1 {
			return f, all[0]
		}
	}
	m.t.Fatalf("there is no fault of %s with one notice", class)
	return fault{}, notice{}
}

// stats is what the account's detail says of the reported notices: one pair [unix time, count] a day.
type stats struct{ Stored, Limited, Ignored [][2]int64 }

func (s *server) stats(m manager) stats {
	m.t.Helper()
	var account struct {
		APIStats stats `json:"api_stats"`
	}
	m.get("/v2/accounts/"+s.AccountID, &account)
	return account.APIStats
}

// sum adds up the counts of [unix time, count] pairs.
func sum(pairs [][2]int64) (total int64) {
	for _, p := range pairs {
		total += p[1]
	}
	return total
}
