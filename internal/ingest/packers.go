package ingest

import (
	"runtime"
	"sync"

	"sett/internal/sett/faults"
	"sett/internal/store/faultdb"
)

// packers make reports ready to be stored, a bundle at a time, while the rest of the batch still comes. They are a few
// goroutines of their own: the compressor needs a stack that would have to grow in each of the many that answer requests.
type packers struct {
	bundles chan bundle
	running sync.WaitGroup
}

// bundle is a set of reports that are compressed together; done is closed afterwards.
type bundle struct {
	waiting []*waiting
	done    *sync.WaitGroup
}

func newPackers() *packers {
	p := &packers{bundles: make(chan bundle, mostInBatch)}
	for range runtime.GOMAXPROCS(0) {
		p.running.Go(p.pack)
	}
	return p
}

func (p *packers) close() {
	close(p.bundles)
	p.running.Wait()
}

func (p *packers) pack() {
	var packer faultdb.Packer
	var reports []*faults.Report
	for b := range p.bundles {
		reports = reports[:0]
		for _, w := range b.waiting {
			reports = append(reports, w.report)
		}
		for i, packed := range packer.Pack(reports) {
			b.waiting[i].packed = packed
		}
		clear(reports)
		b.done.Done()
	}
}
