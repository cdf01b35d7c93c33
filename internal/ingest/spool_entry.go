package ingest

import (
	"crypto/rand"
	"fmt"
	"sync"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/klauspost/compress/zstd"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store/spool"
)

// spooledNotice is the body of an entry of a spool that is a notice.
type spooledNotice struct {
	Report faults.Report // with a token, by which the database knows it if it is passed on twice

	Key, Near, Former [16]byte // of its groupings, which no JSON has; entries of versions before rule 2 have only the first

	Tried       sett.NoticeID // its id, if a commit in doubt has stored it; 0: none was tried
	Transaction string        // of that commit
}

// newNoticeEntry returns the entry of a report, and the receipt for its client. A client that sent no id of the notice gets one here.
func newNoticeEntry(r *faults.Report, tried sett.NoticeID, transaction string) (e spool.Entry, receipt accounts.Receipt, err error) {
	n := spooledNotice{*r, r.Grouping.Key, r.Grouping.Near, r.Former.Key, tried, transaction}
	switch token := &n.Report.Token; {
	case !token.IsZero():
	case tried != 0:
		*token = tried.UUID()
	default:
		*token = sett.NewUUID(rand.Reader)
	}
	e, err = newEntry(spool.Notice, r.ReceivedAt, n)
	return e, accounts.Receipt{ID: n.Report.Token, Outcome: accounts.Stored}, err
}

// readNotice is the inverse of newNoticeEntry.
func readNotice(e spool.Entry) (*spooledNotice, error) {
	n := &spooledNotice{}
	err := decodeEntry(e, n)
	n.Report.Grouping.Key, n.Report.Grouping.Near, n.Report.Former.Key = n.Key, n.Near, n.Former
	n.Report.Former.Near = n.Former // as rule 1 has it
	return n, err
}

var (
	spoolPacker = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2), zstd.WithLowerEncoderMem(true))
		if err != nil {
			panic("ingest: " + err.Error()) // the options are constants
		}
		return e
	})
	spoolUnpacker = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
		if err != nil {
			panic("ingest: " + err.Error()) // the options are constants
		}
		return d
	})
	spoolEncoding = sync.OnceValue(func() cbor.EncMode {
		m, err := cbor.EncOptions{Time: cbor.TimeRFC3339Nano}.EncMode()
		if err != nil {
			panic("ingest: " + err.Error()) // the options are constants
		}
		return m
	})
)

// newEntry encodes what a spool is to keep. Fields are known by their names, so that another version of sett can read it.
func newEntry(kind spool.Kind, at time.Time, v any) (spool.Entry, error) {
	plain, err := spoolEncoding().Marshal(v)
	if err != nil {
		return spool.Entry{}, fmt.Errorf("encode entry of spool: %w", err)
	}
	return spool.Entry{Kind: kind, At: at, Body: spoolPacker().EncodeAll(plain, nil)}, nil
}

// decodeEntry decodes what newEntry has encoded into v, a pointer.
func decodeEntry(e spool.Entry, v any) error {
	plain, err := spoolUnpacker().DecodeAll(e.Body, nil)
	if err == nil {
		err = cbor.Unmarshal(plain, v)
	}
	if err != nil {
		return fmt.Errorf("decode entry of spool: %w", err)
	}
	return nil
}
