package otlp

import "testing"

// The bodies are those of the OTLP specification, byte by byte: field 1 is the partial success, and in it 1 the number and 2 the text; a
// google.rpc.Status has 1 for the code and 2 for the message.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for want, got := range map[string][]byte{
		"{}": Accepted(JSON, Logs, 0, ""),
		`{"partialSuccess":{"errorMessage":"too many","rejectedLogRecords":"300"}}`: Accepted(JSON, Logs, 300, "too many"),
		`{"partialSuccess":{"errorMessage":"no \"a\"","rejectedSpans":"1"}}`:        Accepted(JSON, Traces, 1, `no "a"`),
		"":                                     Accepted(Protobuf, Traces, 0, ""),
		"\x0a\x0d\x08\xac\x02\x12\x08too many": Accepted(Protobuf, Logs, 300, "too many"),
		"\x08\x08\x12\x09slow down":            Refused(Protobuf, 429, "slow down"),
		`{"code":14,"message":"later"}`:        Refused(JSON, 503, "later"),
		`{"code":3,"message":"bad"}`:           Refused(JSON, 400, "bad"),
		`{"code":7,"message":"no"}`:            Refused(JSON, 403, "no"),
		`{"code":16,"message":"who"}`:          Refused(JSON, 401, "who"),
	} {
		if string(got) != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
