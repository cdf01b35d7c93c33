package probe

import (
	"errors"
	"io"
	"net/http"
	"time"
)

const (
	pageBytes = 1 << 20 // of a page that are read and searched
	keptBytes = 4 << 10 // of a page that are kept when the site is not up

	// glimpse is how long a page is read that decides nothing: as evidence, or so that the server can send it to its end.
	glimpse = time.Second
)

// judge decides whether the response is as expected. It reads as much of the page as that takes: nothing where the status
// decides, and nothing after the text that it looks for.
func (a *attempt) judge(response *http.Response) error {
	asked := a.asked
	if text := asked.MatchType.StatusProblem(asked.Match, response.StatusCode); text != "" {
		a.keepEvidence(response)
		return problem(text + a.advice(response))
	}
	if asked.MatchType.JudgesText() {
		p := newPage(asked.Match, pageBytes, response.Header)
		err := a.verdict(p, a.read(p, response.Body), a.advice(response))
		if a.result.Body = p.head(); err != nil {
			return err
		}
	}
	a.readOn(response.Body)
	return nil
}

// advice follows a reason where the page is elsewhere.
func (a *attempt) advice(response *http.Response) string {
	to, err := response.Location()
	if err != nil || !isRedirect(response.StatusCode) {
		return ""
	}
	return printable(redirectAdvice(to))
}

// verdict says why a page is not as expected, as far as it could be read. Text that was found counts, whatever came after it.
func (a *attempt) verdict(p *page, err error, advice string) error {
	text := a.asked.MatchType.TextProblem(a.asked.Match, p.found())
	if text != "" {
		text += advice
	}
	switch {
	case p.found():
		return problemUnlessEmpty(text)
	case err != nil:
		return err
	case p.unreadable != "":
		return p.unreadable
	case p.cut && text != "":
		return problem(text + " -- only the first MiB was read")
	case p.cut:
		return problem("Page is larger than 1 MiB, and what follows was not read -- it may include the text")
	}
	return problemUnlessEmpty(text)
}

// keepEvidence reads the beginning of a page that explains a wrong status. Whether that succeeds changes nothing.
func (a *attempt) keepEvidence(response *http.Response) {
	a.hurry(time.Now())
	p := newPage("", keptBytes, response.Header)
	_ = a.read(p, response.Body)
	a.result.Body = p.head()
}

// readOn takes the rest of a page that is on its way, since many servers log an error otherwise. It is part of the
// response time if it comes to its end.
func (a *attempt) readOn(body io.Reader) {
	decided := time.Now()
	a.hurry(decided)
	buffer := a.buffers.Get().(*[bufferBytes]byte)
	defer a.buffers.Put(buffer)
	n, err := io.CopyBuffer(io.Discard, io.LimitReader(body, pageBytes), buffer[:])
	if err != nil || n == pageBytes {
		a.watch.forget(decided)
	}
}

// hurry ends what is read from now on after a glimpse, or when the time of the attempt is up.
func (a *attempt) hurry(now time.Time) {
	until := now.Add(glimpse)
	if a.until.Before(until) {
		until = a.until
	}
	_ = a.conn.SetReadDeadline(until)
}

// read reads a page until its text is found, or nothing more of it is to be read.
func (a *attempt) read(p *page, body io.Reader) error {
	plain, err := p.decode(body)
	if err != nil {
		return err
	}
	defer plain.close()
	buffer := a.buffers.Get().(*[bufferBytes]byte)
	defer a.buffers.Put(buffer)
	for {
		n, err := plain.Read(buffer[:])
		p.write(buffer[:n])
		if errors.Is(err, io.EOF) {
			p.settle()
			return nil
		}
		if err != nil || p.found() || p.cut {
			return err
		}
	}
}
