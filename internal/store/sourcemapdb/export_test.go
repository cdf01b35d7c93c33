package sourcemapdb

import "context"

// Statements are those that look something up, with their arguments.
var Statements = map[string][]any{
	findFile: {1, []byte{1}}, sameMap: {1, "", "", ""}, byDebugID: {1, "a"}, findMapFile: {1, 1, ""},
	dropFile: {1}, oldestMaps: {1, 1}, unusedMaps: {1, 1, 1}, revisionMaps: {1, "", 1, 1}, newestOfRevision: {1, ""}, oneMap: {1, 1}, touchMap: {1, 1, 1},
	bundleMaps: {1, "a"}, touchBundle: {1, "a", 1}, listChunks: {"a", 1, 0}, readChunk: {1}, oldChunks: {1, 1}, accountChunks: {1, 1}, sizeOfAccount: {"a"},
	oldestOfAccount: {"a", 1},
	hasUnused:       {1, 1}, readFile: {1, 1}, listMaps: {1, 1, 1, 1}, listMapsBack: {1, 1, 1, 1}, listMapsOf: {1, 1, 1, 1, ""}, listMapsOfBack: {1, 1, 1, 1, ""}, someURLs: {1, ""},
}

// ByURL finds maps by their URL; its parts are scanned, and no table.
const ByURL = byURL

// FitChunks deletes the oldest chunks of an account, and of all, beyond bounds of a test.
func (s *Store) FitChunks(ctx context.Context, account string, chunks, bytes, all int64) error {
	return s.inTx(ctx, "fit chunks", func(t Tx) error {
		if err := t.fit(ctx, sizeOfAccount, oldestOfAccount, chunks, bytes, account); err != nil {
			return err
		}
		return t.fit(ctx, sizeOfChunks, oldestChunks, 1, all)
	})
}

const MapsAtOnce = mapsAtOnce
