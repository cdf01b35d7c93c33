package sett

import (
	"crypto/sha256"
	"encoding/binary"
)

// KeyIn returns the key of a grouping in a project: the first 16 bytes of SHA-256 over the rule, the project and every
// input, unused ones as empty. Each text is preceded by its length, so no two different groupings are encoded alike.
func (g Grouping) KeyIn(projectID int64) (k [16]byte) {
	b := make([]byte, 0, 512)
	b = binary.AppendUvarint(b, uint64(g.Rule))
	b = binary.AppendVarint(b, projectID)
	for _, text := range [...]string{
		g.Basis, g.Environment, g.Fingerprint, g.Class, g.Component, g.File, g.Method, g.Line, g.Message,
	} {
		b = binary.AppendUvarint(b, uint64(len(text)))
		b = append(b, text...)
	}
	sum := sha256.Sum256(b)
	copy(k[:], sum[:])
	return k
}
