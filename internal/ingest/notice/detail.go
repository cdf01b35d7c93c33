package notice

// detail is how much of a notice is written.
type detail struct {
	frames int  // of each end of a backtrace
	source bool // lines of source
	crumbs int  // the newest breadcrumbs
	value  int  // bytes of a member, above which it is left out
	text   int  // bytes that any other text is cut to
	causes int
}

// details are tried one after another until the notice is short enough; the last always is. What is rarely looked at, such as
// the versions of all modules, is long and goes first.
var details = []detail{
	{frames: 500, source: true, crumbs: 1_000, value: 1 << 20, text: 1 << 20, causes: 50},
	{frames: 500, source: true, crumbs: 100, value: 64 << 10, text: 64 << 10, causes: 50},
	{frames: 250, source: false, crumbs: 50, value: 16 << 10, text: 16 << 10, causes: 20},
	{frames: 100, source: false, crumbs: 20, value: 2 << 10, text: 8 << 10, causes: 10},
	{frames: 50, source: false, crumbs: 0, value: 256, text: 1 << 10, causes: 5},
	{frames: 10, source: false, crumbs: 0, value: 0, text: 128, causes: 3},
}

// maxTags is how many tags are written; sett reads no more (payload.MaxTags).
const maxTags = 50

// Append appends the JSON of n to dst. If it has more than most bytes, parts are left out until it has not; most must be
// 256 KiB or more.
func (n *Notice) Append(dst []byte, most int) []byte {
	start := len(dst)
	for _, d := range details {
		w := writer{out: dst[:start], most: start + most, detail: d}
		w.notice(n)
		if dst = w.out; len(dst)-start <= most {
			break
		}
	}
	return dst
}
