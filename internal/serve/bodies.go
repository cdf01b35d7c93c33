package serve

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"sett/internal/sett"
)

// The bounds on what request bodies hold together, in bytes. The first of each body comes out of one share, so that long ones
// keep no short one away; the rest comes out of the share of known senders, or of all others.
const (
	firstOfBody   = 16 << 10 // of each body
	moreOfBody    = 32 << 10 // that is taken at a time then
	mostOfFirst   = 64 << 20 // 4,096 bodies
	mostOfStrange = 8 << 20
	mostOfKnown   = 32 << 20
)

// bodyPause is after how long a client whose body found no room is to try again.
const bodyPause = 5 * time.Second

// Bodies is the budget of one process for what request bodies hold until they are answered. A nil Bodies has no bounds.
type Bodies struct{ first, strange, known share }

// NewBodies returns a budget of which nothing is held.
func NewBodies() *Bodies {
	return &Bodies{first: share{most: mostOfFirst}, strange: share{most: mostOfStrange}, known: share{most: mostOfKnown}}
}

// Held returns how many bytes are set aside for bodies in flight.
func (b *Bodies) Held() int64 {
	return b.first.held.Load() + b.strange.held.Load() + b.known.held.Load()
}

// share is a part of the budget.
type share struct {
	held atomic.Int64
	most int64
}

func (s *share) take(bytes int64) bool {
	if s.held.Add(bytes) <= s.most {
		return true
	}
	s.held.Add(-bytes)
	return false
}

// guardBodies keeps what is read of bodies within the budget, and says of a body that cannot be read that this is the
// client's doing. A connection whose request had a body without a length is closed behind the answer: one that had a length
// too may be read otherwise by a proxy (RFC 9112 §6.3), and net/http does not distinguish the two.
func guardBodies(budget *Bodies, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		if len(r.TransferEncoding) > 0 {
			w.Header().Set("Connection", "close")
		}
		b := &heldBody{ReadCloser: r.Body, budget: budget, answer: w.Header()}
		defer b.release()
		factsOf(r.Context()).body = b
		r.Body = b // of a request that is Log's own
		next.ServeHTTP(w, r)
	})
}

// heldBody is a body and what it holds of the budget. One goroutine at a time uses it.
type heldBody struct {
	io.ReadCloser
	budget *Bodies
	answer http.Header
	known  bool  // its sender has shown a key, token or session that is good
	left   int64 // bytes that may be read of what is held

	unbudgeted bool // what is read does not count

	first, ofStrange, ofKnown int64 // that are held of each share
}

// Known says that the sender of the request that ctx belongs to has shown a good key, token or session. Their body may be long
// then without that others who are not known have to wait.
func Known(ctx context.Context) {
	if b := factsOf(ctx).body; b != nil {
		b.known = true
	}
}

// Unbudgeted says that the handler bounds what it reads of the body of the request of ctx, and how many such bodies there are: what is read
// from now on does not count.
func Unbudgeted(ctx context.Context) {
	if b := factsOf(ctx).body; b != nil {
		b.unbudgeted = true
	}
}

// Hold reserves memory for the results of parsing the body of the request of ctx, until the request is answered. The error
// is Unavailable if there is not enough.
func Hold(ctx context.Context, bytes int) error {
	if b := factsOf(ctx).body; b != nil {
		return b.hold(int64(bytes))
	}
	return nil
}

func (b *heldBody) Read(p []byte) (int, error) {
	if b.budget == nil || b.unbudgeted {
		n, err := b.ReadCloser.Read(p)
		return n, b.explain(err)
	}
	if b.left == 0 {
		if err := b.more(); err != nil {
			return 0, err
		}
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, b.explain(err)
}

// more sets room for the next part of the body aside.
func (b *heldBody) more() error {
	if b.first > 0 {
		err := b.hold(moreOfBody)
		if err == nil {
			b.left = moreOfBody
		}
		return err
	}
	if !b.budget.first.take(firstOfBody) {
		return b.full()
	}
	b.first, b.left = firstOfBody, firstOfBody
	return nil
}

func (b *heldBody) hold(bytes int64) error {
	switch {
	case b.budget == nil:
	case b.known && b.budget.known.take(bytes):
		b.ofKnown += bytes
	case !b.known && b.budget.strange.take(bytes):
		b.ofStrange += bytes
	default:
		return b.full()
	}
	return nil
}

// full is the error for missing memory. The rest of the body is not awaited.
func (b *heldBody) full() error {
	b.answer.Set("Connection", "close")
	return &sett.Error{Code: sett.Unavailable, Message: "The server is overloaded with request bodies. Try again in a moment.", RetryAfter: bodyPause}
}

func (b *heldBody) release() {
	if b.budget == nil {
		return
	}
	b.budget.first.held.Add(-b.first)
	b.budget.strange.held.Add(-b.ofStrange)
	b.budget.known.held.Add(-b.ofKnown)
}

// explain says what is wrong with a body that could not be read: nothing of it is the server's doing.
func (b *heldBody) explain(err error) error {
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, http.ErrBodyReadAfterClose) {
		return err
	}
	b.answer.Set("Connection", "close")
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return sett.Errorf(sett.TooSlow, "The request body did not arrive in time. Send it again.")
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return sett.Errorf(sett.Malformed, "The request body is shorter than its Content-Length. Send the complete body.")
	}
	return sett.Errorf(sett.Malformed, "The request body cannot be read: the connection was lost, or its chunked encoding is not valid. Send it again.")
}
