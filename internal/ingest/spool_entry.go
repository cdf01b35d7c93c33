package ingest

import (
	"bytes"
	"crypto/rand"
	"encoding/gob"
	"fmt"
	"time"

	"github.com/klauspost/compress/s2"

	"sett/internal/sett"
	"sett/internal/store/spool"
)

// spooledNotice is the body of an entry of a spool that is a notice.
type spooledNotice struct {
	Report sett.Report // with a token, by which the database knows it if it is passed on twice

	Tried       sett.NoticeID // its id, if a commit in doubt has stored it; 0: none was tried
	Transaction string        // of that commit
}

// newNoticeEntry returns the entry of a report, and the receipt for its client. A client that sent no id of the notice gets one here.
func newNoticeEntry(r *sett.Report, tried sett.NoticeID, transaction string) (e spool.Entry, receipt sett.Receipt, err error) {
	n := spooledNotice{*r, tried, transaction}
	switch token := &n.Report.Token; {
	case !token.IsZero():
	case tried != 0:
		*token = tried.UUID()
	default:
		*token = sett.NewUUID(rand.Reader)
	}
	e, err = newEntry(spool.Notice, r.ReceivedAt, n)
	return e, sett.Receipt{ID: n.Report.Token, Outcome: sett.Stored}, err
}

// newEntry encodes what a spool is to keep. Fields are known by their names, so that another version of sett can read it.
func newEntry(kind spool.Kind, at time.Time, v any) (spool.Entry, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(v); err != nil {
		return spool.Entry{}, fmt.Errorf("encode entry of spool: %w", err)
	}
	return spool.Entry{Kind: kind, At: at, Body: s2.Encode(nil, b.Bytes())}, nil
}

// decodeEntry decodes what newEntry has encoded into v, a pointer.
func decodeEntry(e spool.Entry, v any) error {
	plain, err := s2.Decode(nil, e.Body)
	if err == nil {
		err = gob.NewDecoder(bytes.NewReader(plain)).Decode(v)
	}
	if err != nil {
		return fmt.Errorf("decode entry of spool: %w", err)
	}
	return nil
}
