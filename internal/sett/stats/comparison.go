package stats

import (
	"cmp"
	"slices"
	"time"

	"sett/internal/sett/faults"
)

// SeenFault is a fault of one environment with its notices in a period.
type SeenFault struct {
	ID          int64
	Environment string
	Class       string
	Message     string
	Where       string          // component and action
	Grouping    faults.Grouping // what puts notices together, in its environment
	CreatedAt   time.Time
	Resolved    bool
	Count       int64
}

// ComparedFault is the same fault in several environments.
type ComparedFault struct {
	SeenFault // the one with most notices
	In        map[string]SeenFault
	Total     int64
}

// Comparison is the faults of some environments side by side.
type Comparison struct {
	Environments []string // with most notices first
	More         int      // environments that are not shown
	Faults       []ComparedFault
}

// mostComparedEnvironments is how many environments are side by side at most.
const mostComparedEnvironments = 6

// Compare puts faults side by side that only differ in their environment. Environments that are asked for are always among those that are
// shown.
func Compare(seen []SeenFault, asked ...string) (c Comparison) {
	counts, at := map[string]int64{}, map[faults.Grouping]int{}
	for _, f := range seen {
		counts[f.Environment] += max(f.Count, 1)
		same := f.Grouping.Inputs()
		same.Environment, same.Source = "", "" // a client may send no source in one of them
		n, known := at[same]
		if !known {
			n, at[same] = len(c.Faults), len(c.Faults)
			c.Faults = append(c.Faults, ComparedFault{In: map[string]SeenFault{}})
		}
		c.Faults[n].add(f)
	}
	for name := range counts {
		c.Environments = append(c.Environments, name)
	}
	slices.SortFunc(c.Environments, func(a, b string) int {
		wanted := cmp.Compare(btoi(slices.Contains(asked, b)), btoi(slices.Contains(asked, a)))
		return cmp.Or(wanted, cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	if c.More = len(c.Environments) - mostComparedEnvironments; c.More > 0 {
		c.Environments = c.Environments[:mostComparedEnvironments]
	}
	c.More = max(0, c.More)
	slices.SortStableFunc(c.Faults, func(a, b ComparedFault) int { return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(b.ID, a.ID)) })
	return c
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// add adds the fault of one more environment.
func (c *ComparedFault) add(f SeenFault) {
	if c.Total += f.Count; c.ID == 0 || f.Count > c.Count {
		c.SeenFault = f
	}
	c.In[f.Environment] = f
}

// Only returns the faults that were seen in one environment and not in another one; "" stands for any.
func (c Comparison) Only(in, not string) Comparison {
	c.Faults = slices.DeleteFunc(slices.Clone(c.Faults), func(f ComparedFault) bool {
		_, is := f.In[in]
		_, other := f.In[not]
		return in != "" && !is || not != "" && other
	})
	return c
}
