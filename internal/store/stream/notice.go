package stream

import (
	"cmp"
	"slices"
	"strings"

	"sett/internal/event/column"
	"sett/internal/event/payload"
	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/sett/insight"
	"sett/internal/store/block"
	"sett/internal/store/faultdb"
)

// The keys of notices that follow from the fault, without what was sent, and those of what was sent.
var (
	faultKeys   = []string{insight.KeyType, "project_id", "fault_id", "klass", "component", "action", "environment"}
	sentKeys    = []string{"uuid", "message", "file", "hostname", "revision", "user", "request_id", "tags", "level", "handled"}
	sentObjects = []string{"request.", "user_agent.", "context.", "session.", "params."}
)

func isSentKey(key string) bool {
	return slices.Contains(sentKeys, key) || slices.ContainsFunc(sentObjects, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
}

func isNoticeKey(key string) bool { return slices.Contains(faultKeys, key) || isSentKey(key) }

// noticesTogether is how many notices make a frame: what was sent with all of them is in memory at once.
const noticesTogether = 128

// notices reads each notice that was stored.
func (s *Store) notices(r *reading) error {
	known := map[int64]*faultdb.Part{}
	in := block.Span{From: faultdb.NoticeIDAt(r.from), To: faultdb.NoticeIDAt(r.to)}
	return s.Blocks.EachNotice(r.ctx, r.q, r.project, in, func(all []block.Kept) (err error) {
		if err := s.learn(r, all, known); err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(n block.Kept) bool { return known[n.Fault] == nil }) // of faults that are being deleted
		if all, err = s.wanted(r, all, known); err != nil {
			return err
		}
		for end := len(all); end > 0; end -= noticesTogether {
			f := s.frameOf(r, all[max(0, end-noticesTogether):end], known)
			if err := r.add(f, f.At[0]); err != nil {
				return err
			}
		}
		return nil
	})
}

// learn reads the faults of some notices that are not known yet; those that are not there are known as nil.
func (s *Store) learn(r *reading, all []block.Kept, known map[int64]*faultdb.Part) error {
	var ids []int64
	for _, n := range all {
		if _, is := known[n.Fault]; !is {
			known[n.Fault], ids = nil, append(ids, n.Fault)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	parts, err := s.Faults.ReadParts(r.ctx, r.q, r.project, ids)
	for _, p := range parts {
		known[p.ID] = &p
	}
	return err
}

// wanted returns those of some notices that may match, as far as their faults say, so that what was sent with the others is not read.
func (s *Store) wanted(r *reading, all []block.Kept, known map[int64]*faultdb.Part) (left []block.Kept, err error) {
	for some := range slices.Chunk(all, column.MostRows) {
		rows, err := r.run.Narrow(s.frameOf(r, some, known), func(key string) bool { return slices.Contains(faultKeys, key) })
		if err != nil {
			return nil, err
		}
		for row, n := range some {
			if rows.Has(row) {
				left = append(left, n)
			}
		}
	}
	return left, nil
}

// frameOf returns the frame of some notices. It reads what was sent with them when a column of that is asked for.
func (s *Store) frameOf(r *reading, all []block.Kept, known map[int64]*faultdb.Part) *insight.Frame {
	var sent []insight.Event
	read := func() (err error) {
		if sent == nil {
			sent, err = s.sent(r, all)
		}
		return err
	}
	source := insight.Source{Stream: insight.Recorded, At: make([]int64, len(all)), May: isNoticeKey}
	for row, n := range all {
		source.At[row] = sett.NoticeID(n.ID).Time().UnixMicro()
	}
	source.Column = func(key string) (*insight.Column, error) {
		if isSentKey(key) {
			if err := read(); err != nil {
				return nil, err
			}
			return insight.ColumnOf(len(all), func(row int) string { return sent[row].Stored(key) }), nil
		}
		return insight.ColumnOf(len(all), func(row int) string { return ofFault(key, r.project, known[all[row].Fault]) }), nil
	}
	source.Keys = func() ([]string, error) {
		if err := read(); err != nil {
			return nil, err
		}
		seen, keys := map[string]bool{}, slices.Clone(faultKeys)
		for _, e := range sent {
			for _, f := range e.Fields {
				if !seen[f.Key] {
					seen[f.Key], keys = true, append(keys, f.Key)
				}
			}
		}
		return keys, nil
	}
	return insight.FrameFrom(source)
}

// ofFault returns the value of one of faultKeys; "" of another.
func ofFault(key string, project int64, p *faultdb.Part) string {
	switch key {
	case insight.KeyType:
		return `"notice"`
	case "project_id":
		return number(project)
	case "fault_id":
		return number(p.FaultID)
	case "klass":
		return text(key, p.Class).Value
	case "component":
		return text(key, p.Component).Value
	case "action":
		return text(key, p.Action).Value
	case "environment":
		return text(key, p.Environment).Value
	}
	return ""
}

// sent returns what was sent with some notices, one event for each.
func (s *Store) sent(r *reading, all []block.Kept) ([]insight.Event, error) {
	ids := make([]int64, len(all))
	for i, n := range all {
		ids[i] = n.ID
	}
	notices, err := s.Faults.ReadSent(r.ctx, r.q, r.project, ids)
	if err != nil {
		return nil, err
	}
	events := make([]insight.Event, len(all))
	for i, id := range ids {
		if n, ok := notices[id]; ok {
			events[i].Fields = fieldsOf(n)
		}
	}
	return events, nil
}

// fieldsOf returns the fields of what was sent with a notice.
func fieldsOf(n faults.Notice) []insight.Field {
	facts, env := n.Facts(), n.WebEnvironment
	fields := []insight.Field{
		text("uuid", n.ID.String()), text("message", n.Message), text("file", fileOf(n.Payload)), text("hostname", n.Environment.Hostname), text("revision", n.Environment.Revision),
		text("user", userOf(n.Request.User)), text("request_id", facts.Trace), text("level", facts.Level), text("handled", facts.Handled),
		text("request.url", n.Request.URL), text("request.referer", env["HTTP_REFERER"]), text("request.host", env["HTTP_HOST"]),
		text("request.request_method", env["REQUEST_METHOD"]), text("request.remote_addr", env["REMOTE_ADDR"]),
		text("user_agent.browser.name", facts.Browser.Name), text("user_agent.browser.version", facts.Browser.Version), text("user_agent.browser.major", major(facts.Browser.Version)),
		text("user_agent.os.name", facts.OS.Name), text("user_agent.os.version", facts.OS.Version), text("user_agent.device.model", facts.Device.Name),
	}
	if len(n.Tags) > 0 {
		fields = appendFields(fields, "tags", n.Tags, 0)
	}
	fields = appendFields(fields, "context", n.Request.Context, 0)
	fields = appendFields(fields, "params", n.Request.Params, 0)
	fields = appendFields(fields, "session", n.Request.Session, 0)
	return fields[:min(len(fields), insight.MaxFields)]
}

// fileOf returns the file of the first frame of the application, or else of the first.
func fileOf(p payload.Payload) string {
	for _, frames := range [][]payload.Frame{p.ApplicationTrace, p.Backtrace} {
		if len(frames) > 0 {
			return frames[0].File
		}
	}
	return ""
}

func userOf(u *payload.User) string {
	if u == nil {
		return ""
	}
	return cmp.Or(u.Email, payload.TextOf(u.ID))
}

// major returns what a version begins with.
func major(version string) string {
	first, _, _ := strings.Cut(version, ".")
	return first
}

// deploys reads each deploy.
func (s *Store) deploys(r *reading) error {
	all, err := s.Faults.ReadDeploys(r.ctx, r.q, r.project, r.from, r.to)
	for _, d := range slices.Backward(all) {
		if err == nil {
			err = r.event(d.CreatedAt, text("environment", d.Environment), text("revision", d.Revision), text("repository", d.Repository), text("local_username", d.LocalUsername))
		}
	}
	return err
}
