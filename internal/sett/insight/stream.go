package insight

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"sett/internal/sett"
)

// Stream is the events of a project that have one source. Its value is the slug of the API.
type Stream string

// The streams of every project.
const (
	Sent     Stream = "default"  // by clients
	Recorded Stream = "internal" // by sett itself: errors, deploys, checks, check-ins
)

// Streams returns all streams.
func Streams() []Stream { return []Stream{Sent, Recorded} }

// Name returns the name for people.
func (s Stream) Name() string {
	if s == Recorded {
		return "Internal"
	}
	return "Default"
}

// ID returns the id of the stream of a project: 12 hexadecimal digits that are always the same.
func (s Stream) ID(project int64) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "stream %s of project %d", s, project))
	return hex.EncodeToString(sum[:6])
}

// StreamsOf returns the streams of a project that have some ids; without ids, none, which means all. Unknown ids are left out.
// The error is Invalid if all are unknown.
func StreamsOf(project int64, ids []string) (found []Stream, err error) {
	for _, s := range Streams() {
		if slices.Contains(ids, s.ID(project)) {
			found = append(found, s)
		}
	}
	if len(ids) > 0 && len(found) == 0 {
		return nil, sett.Refuse("stream_ids", "must have ids of streams of this project, such as %s, and not slugs", Sent.ID(project))
	}
	return found, nil
}

// Reads reports whether a plan reads the events of a stream.
func (p Plan) Reads(s Stream) bool { return len(p.Streams) == 0 || slices.Contains(p.Streams, s) }
