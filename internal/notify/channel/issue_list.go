package channel

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"sett/internal/sett/triage"
)

// mostListed is how many issues a look for one reads, and mostListedBytes how much of an answer.
const (
	mostListed      = 100
	mostListedBytes = 4 << 20
)

const (
	clockSlack = 10 * time.Minute // by which the clock of a tracker may be behind
	searchLag  = 30 * time.Second // after which a search knows of an issue
)

// issueList is what a tracker answers to what issues there are.
type issueList struct {
	status int
	issues []listedIssue
	whole  bool // the list is complete
	lags   bool // the newest may be left out
}

type listedIssue struct {
	text string
	link triage.LinkData
}

// stamp is the address of a fault as the issue has it that a message makes: it ends with the delivery's id, where it leads
// to the same page, and by which a later try knows the issue again.
func (m Message) stamp() string {
	if m.ID == "" {
		return m.URL
	}
	return m.URL + "#" + m.ID
}

// stamped reports whether a text has the stamp of the message.
func (m Message) stamped(text string) bool {
	_, after, found := strings.Cut(text, m.stamp())
	return found && (after == "" || after[0] < '0' || after[0] > '9')
}

// since is from when on an issue may have been made, as a tracker has it.
func (m Message) since() time.Time {
	since := m.Since
	if since.IsZero() {
		since = m.At
	}
	return since.Add(-clockSlack).UTC()
}

// find returns the receipt of an issue that an earlier attempt created, and one without a link if there is none. While this
// is unknown, the message waits.
func (s trackerSender) find(ctx context.Context, m Message) (Receipt, error) {
	lister, lists := s.tracker.(lister)
	if !lists || !m.Again {
		return Receipt{}, nil
	}
	found, err := lister.list(ctx, m.since())
	receipt := Receipt{Status: found.status}
	i := slices.IndexFunc(found.issues, func(issue listedIssue) bool { return m.stamped(issue.text) })
	switch {
	case err != nil:
		return receipt, unsure(err)
	case i >= 0:
		receipt.Link, receipt.Note = found.issues[i].link, issueMade
	case !found.whole:
		return receipt, unsure(&Failure{Status: found.status, Problem: fmt.Sprintf("the tracker has more than %d newer issues to search", mostListed)})
	case found.lags && m.Try < 3:
		return receipt, unsure(&Failure{Status: found.status, RetryAfter: searchLag, Problem: s.name + "'s search may not have indexed it yet"})
	}
	return receipt, nil
}

// unsure is a look for an issue that has failed. Whatever was wrong, the issue may be there.
func unsure(err error) error {
	f, ok := errors.AsType[*Failure](err)
	if !ok {
		return err
	}
	later := failure(false, "an earlier attempt may have created the issue, and this could not be checked: "+f.Problem)
	later.Status, later.RetryAfter = f.Status, f.RetryAfter
	return later
}

// look asks for a list of issues, and reads it into v.
func (t Tools) look(ctx context.Context, service, address string, header http.Header, v any) (answer, error) {
	a, err := t.exchangeUpTo(ctx, mostListedBytes, http.MethodGet, address, header, "", nil)
	if err != nil {
		return a, err
	}
	return a, a.understand(service, v)
}

// withAll returns an address with more parameters.
func withAll(address string, pairs ...string) string {
	for pair := range slices.Chunk(pairs, 2) {
		address = with(address, pair[0], pair[1])
	}
	return address
}
