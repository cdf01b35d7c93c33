package operate

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"sett/internal/ingest/event"
	"sett/internal/ingest/group"
	"sett/internal/ingest/sample"
	"sett/internal/sett/accounts"
	"sett/internal/sett/regroup"
)

// GroupingFile is the body of a request, and where it is from.
type GroupingFile struct {
	Name string
	Body []byte
}

// ExplainedEvent is how an event of a file is grouped, and why.
type ExplainedEvent struct {
	File   string            `json:"file"`
	Event  int               `json:"event"` // from 1, in its file
	Way    string            `json:"way"`
	Key    string            `json:"key"`
	Parts  []group.Part      `json:"parts"`
	Frames []event.FrameNote `json:"frames"`

	explained *event.Explanation
}

// ExplainedGrouping is what ExplainGrouping finds.
type ExplainedGrouping struct {
	Events []ExplainedEvent `json:"events"`
	// Of the first event and each other one: whether they are one error, and why.
	Compared []ComparedEvents `json:"compared"`
}

// ComparedEvents is whether the first event and another one are one error.
type ComparedEvents struct {
	Event   int      `json:"event"` // of Events, from 1
	One     bool     `json:"one"`
	Reasons []string `json:"reasons"`
}

// ExplainGrouping explains how the events of files are grouped under the rules of a project, whose text is rules, and whether they are one error.
func ExplainGrouping(files []GroupingFile, rules string) (*ExplainedGrouping, error) {
	own, err := regroup.Parse(rules)
	if err != nil {
		return nil, err
	}
	all := &ExplainedGrouping{Compared: []ComparedEvents{}}
	for _, f := range files {
		events, err := explainFile(f, own)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		all.Events = append(all.Events, events...)
	}
	for i := range all.Events[1:] {
		one, reasons := group.CompareEvents(all.Events[0].explained.Grouping, all.Events[i+1].explained.Grouping)
		all.Compared = append(all.Compared, ComparedEvents{i + 2, one, reasons})
	}
	return all, nil
}

func explainFile(f GroupingFile, rules *regroup.Rules) (events []ExplainedEvent, err error) {
	samples, err := sample.Read(f.Body, time.Now())
	if err != nil {
		return nil, err
	}
	for i, s := range samples {
		x, err := event.Explain(s.Notice, event.Options{Project: accounts.KeyedProject{ProjectID: 1}, Now: time.Now(), Hints: s.Hints, Rules: rules})
		if err != nil {
			return nil, err
		}
		events = append(events, ExplainedEvent{f.Name, i + 1, s.Way, fmt.Sprintf("%x", x.Grouping.Key), x.Parts, x.Frames, x})
	}
	return events, nil
}

// Write writes it for people, or as JSON.
func (x *ExplainedGrouping) Write(w io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(x)
	}
	var b strings.Builder
	for i, e := range x.Events {
		fmt.Fprintf(&b, "Event %d: %s, %s\n\n", i+1, e.File, e.Way)
		e.write(&b)
	}
	for _, c := range x.Compared {
		fmt.Fprintf(&b, "Events 1 and %d\n\n", c.Event)
		for _, reason := range c.Reasons {
			fmt.Fprintf(&b, "  %s\n", reason)
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, strings.TrimSuffix(b.String(), "\n"))
	return err
}

// mostFramesPrinted is how many frames are printed of one event.
const mostFramesPrinted = 30

func (e *ExplainedEvent) write(b *strings.Builder) {
	lines := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(lines, "  PART\tVALUE\tDECIDED BY")
	for _, p := range e.Parts {
		value := p.Value
		if value == "" {
			value = "-"
		}
		fmt.Fprintf(lines, "  %s\t%s\t%s\n", p.Name, value, p.By)
	}
	lines.Flush()
	b.WriteString("\n")
	if len(e.Frames) == 0 {
		return
	}
	lines = tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(lines, "  FRAME\tPLACE\tCODE OF\tDECIDED BY")
	for i, f := range e.Frames {
		if i >= mostFramesPrinted && !f.Decides {
			continue
		}
		fmt.Fprintf(lines, "  %d%s\t%s\t%s\t%s\n", f.Number, mark(f.Decides), f.Place, f.Whose(), f.By)
	}
	lines.Flush()
	if n := len(e.Frames) - mostFramesPrinted; n > 0 {
		fmt.Fprintf(b, "  Of the last %d frames, only one that decides is listed.\n", n)
	}
	b.WriteString("\n")
}

// mark follows the number of the frame that decides.
func mark(decides bool) string {
	if decides {
		return " *"
	}
	return ""
}
