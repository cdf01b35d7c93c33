package block

import (
	"fmt"

	"sett/internal/event/column"
)

// CountedBundles is the statement that reads the notices for a block.
func (s *Store) CountedBundles() string { return fmt.Sprintf(countedBundles, s.counted()) }

const (
	RecentBlocksOf = recentBlocksOf
	RecentFacets   = recentFacets

	ObjectFigures    = objectFigures
	TalliesOfProject = talliesOfProject
	BlocksToRewrite  = blocksToRewrite
)

// PackFrame returns the frame of some payloads.
func PackFrame(payloads [][]byte) []byte {
	notices := make([]Notice, len(payloads))
	for i, p := range payloads {
		notices[i].Payload = p
	}
	return new(frameBuilder).pack(notices, column.NewEncoder())
}

// OpenFrame returns the payloads of a frame; nil for those that are damaged.
func OpenFrame(b []byte) (payloads [][]byte, err error) {
	f, err := openFrame(b)
	for slot := range f.len() {
		payload, _ := f.payload(slot)
		payloads = append(payloads, payload)
	}
	return payloads, err
}
