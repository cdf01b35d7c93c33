package bench

import "math/rand/v2"

// Notice is the body of a notice and the project that reports it, a number from 0 to Projects-1.
type Notice struct {
	Project int
	Body    []byte
}

// Projects is how many projects report notices.
const Projects = projects

// Notices returns n notices like those that Intake sends, so that other systems can be measured with the same. The seed determines them.
func Notices(n int, seed uint64) []Notice { return bodies(n, seed, newKind) }

// Envelopes returns the same errors as Notices does, as envelopes of Sentry.
func Envelopes(n int, seed uint64) []Notice { return bodies(n, seed, newEnvelopeKind) }

func bodies(n int, seed uint64, newKind func(r *rand.Rand, project, i int) kind) []Notice {
	r := rand.New(rand.NewPCG(1, 2))
	all := make([][]kind, projects)
	for i := range all {
		all[i] = newKinds(r, i, newKind)
	}
	r = rand.New(rand.NewPCG(seed, 0))
	frequent := rand.NewZipf(r, zipf, 1, kinds-1)
	notices := make([]Notice, n)
	for i := range notices {
		project := r.IntN(projects)
		notices[i] = Notice{project, all[project][frequent.Uint64()].fill(nil, r)}
	}
	return notices
}
