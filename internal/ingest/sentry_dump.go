package ingest

import (
	"errors"
	"io"
	"net/http"

	"sett/internal/ingest/sentry"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/stats"
)

// maxDrained is how many bytes of a crash report are read although nothing is kept of them: a client that still sends does not read the answer.
const maxDrained = 20 << 20

// refuseDump refuses what crash reporters of native programs send, and counts it as an error that is not stored. Neither of them sends it
// again.
func (in *Ingest) refuseDump(w http.ResponseWriter, r *http.Request) error {
	project, err := in.projectAt(r, sentry.KeyOf(r))
	if err != nil {
		return err
	}
	serve.Known(r.Context())
	serve.Unbudgeted(r.Context())
	in.drop(project, "error", stats.DroppedUnsupported, 1)
	switch _, err := io.CopyN(io.Discard, r.Body, maxDrained); {
	case err == nil:
		w.Header().Set("Connection", "close") // there may be more
	case !errors.Is(err, io.EOF):
		return err
	}
	return sett.Errorf(sett.Invalid, "sett does not read minidumps and crash reports of Unreal Engine. Report errors as events: with sentry-native, use the backend inproc. The page /docs/clients lists what sett accepts.")
}
