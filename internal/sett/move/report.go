package move

import (
	"cmp"
	"slices"
)

// Left is something that does not come, or not as it was.
type Left struct {
	Noun string `json:"noun"`           // of what it is one, such as "alert rules"
	Name string `json:"name,omitempty"` // what it is called at the source; "" for all of its kind
	Why  string `json:"why"`            // and what to do
	Page string `json:"page,omitempty"` // of sett, where it is made by hand
}

// Came is how many of a noun came.
type Came struct {
	Noun    string `json:"noun"`
	Found   int64  `json:"found"`   // at the source
	Made    int64  `json:"made"`    // by this run
	Present int64  `json:"present"` // since a run before
}

// Report says what a run brought and what it left.
type Report struct {
	DryRun bool   `json:"dry_run"`
	Came   []Came `json:"came"`
	Left   []Left `json:"left"`

	More int64 `json:"left_more"` // that were left and are not listed
}

// mostLeft is how many things of one noun a report lists that were left.
const mostLeft = 50

// Add counts what came of a noun.
func (r *Report) Add(noun string, found, made, present int64) {
	i := slices.IndexFunc(r.Came, func(c Came) bool { return c.Noun == noun })
	if i < 0 {
		i, r.Came = len(r.Came), append(r.Came, Came{Noun: noun})
	}
	c := &r.Came[i]
	c.Found, c.Made, c.Present = c.Found+found, c.Made+made, c.Present+present
}

// Leave notes what was left. What is noted twice is listed once.
func (r *Report) Leave(left ...Left) {
	for _, l := range left {
		n := 0
		for _, other := range r.Left {
			if other.Noun == l.Noun {
				n++
			}
		}
		switch {
		case slices.Contains(r.Left, l):
		case n >= mostLeft:
			r.More++
		default:
			r.Left = append(r.Left, l)
		}
	}
}

// Sorted returns what was left, by noun and name.
func (r *Report) Sorted() []Left {
	return slices.SortedStableFunc(slices.Values(r.Left), func(a, b Left) int {
		return cmp.Or(cmp.Compare(a.Noun, b.Noun), cmp.Compare(a.Name, b.Name))
	})
}
