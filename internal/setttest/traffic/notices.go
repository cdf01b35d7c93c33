package traffic

import "math/rand/v2"

// Notice is the body of a notice and the project that reports it, a number from 0 to Projects-1.
type Notice struct {
	Project int
	Body    []byte
}

// Notices returns n notices of several projects, few kinds of which are most of them. The seed determines them.
func Notices(n int, seed uint64) []Notice { return bodies(n, seed, Kinds) }

// Envelopes returns the same errors as Notices does, as envelopes of Sentry.
func Envelopes(n int, seed uint64) []Notice { return bodies(n, seed, EnvelopeKinds) }

func bodies(n int, seed uint64, kindsOf func(r *rand.Rand, project int) []Kind) []Notice {
	r := rand.New(rand.NewPCG(1, 2))
	all := make([][]Kind, Projects)
	for i := range all {
		all[i] = kindsOf(r, i)
	}
	r = rand.New(rand.NewPCG(seed, 0))
	frequent := rand.NewZipf(r, Zipf, 1, kinds-1)
	notices := make([]Notice, n)
	for i := range notices {
		project := r.IntN(Projects)
		notices[i] = Notice{project, all[project][frequent.Uint64()].Fill(nil, r)}
	}
	return notices
}
