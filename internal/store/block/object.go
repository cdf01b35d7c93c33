package block

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"time"

	"sett/internal/event/column"
	"sett/internal/sett"
	"sett/internal/store/db"
)

// A remote block has its payloads and facets in one object of object storage, and a row of table block_objects. The object has the frames of
// payloads one after another, then the parts of facets, then the list of these pieces (see pieces), and, in its last eight bytes, the length of the list and
// its checksum, little endian: so it can be read without the database. Nothing changes an object: a rewritten block gets another one.

// Objects is object storage, as blocks use it.
type Objects interface {
	Get(ctx context.Context, key string, from, length int64) ([]byte, error)
	Kept(key string, from, length int64) (body []byte, ok bool) // what Get would return, if it is at hand
	Put(ctx context.Context, key string, body []byte) error
	Delete(ctx context.Context, key string) error // also if there is none
}

// piece is a frame or a part in an object.
type piece struct {
	from, length int64
	sum          uint32 // CRC-32C
}

// holds reports whether bytes are those of the piece.
func (p piece) holds(b []byte) bool {
	return int64(len(b)) == p.length && crc32.Checksum(b, castagnoli) == p.sum
}

// pieces is what an object contains: frames by number, and those parts that there are.
type pieces struct {
	frames []piece
	parts  [column.Parts]piece // length 0: there is none
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// packObject returns an object, and the list of its pieces.
func packObject(frames [][]byte, parts [column.Parts][]byte) (body, list []byte) {
	list = binary.AppendUvarint([]byte{blockVersion}, uint64(len(frames)))
	for _, b := range slices.Concat(frames, parts[:]) {
		body = append(body, b...)
		list = binary.AppendUvarint(list, uint64(len(b)))
		list = binary.LittleEndian.AppendUint32(list, crc32.Checksum(b, castagnoli))
	}
	body = append(body, list...)
	body = binary.LittleEndian.AppendUint32(body, uint32(len(list)))
	return binary.LittleEndian.AppendUint32(body, crc32.Checksum(list, castagnoli)), list
}

// mostFrames is how many frames a block may have.
const mostFrames = (column.MostRows + framePayloads - 1) / framePayloads

// readPieces reads the list of the pieces of an object.
func readPieces(list []byte) (p pieces, err error) {
	if len(list) == 0 || list[0] != blockVersion {
		return p, errBlock
	}
	n, length := binary.Uvarint(list[1:])
	if length <= 0 || n > mostFrames {
		return p, errBlock
	}
	at, list := int64(0), list[1+length:]
	all := make([]piece, int(n)+column.Parts)
	for i := range all {
		size, length := binary.Uvarint(list)
		if length <= 0 || size > mostUnpacked || len(list) < length+4 {
			return p, errBlock
		}
		all[i] = piece{at, int64(size), binary.LittleEndian.Uint32(list[length:])}
		at, list = at+int64(size), list[length+4:]
	}
	p.frames = all[:n]
	copy(p.parts[:], all[n:])
	return p, nil
}

// CheckObject returns an error unless an object is whole.
func CheckObject(body []byte) error {
	if len(body) < 8 {
		return errBlock
	}
	end := len(body) - 8
	length := int(binary.LittleEndian.Uint32(body[end:]))
	if length > end || crc32.Checksum(body[end-length:end], castagnoli) != binary.LittleEndian.Uint32(body[end+4:]) {
		return errBlock
	}
	p, err := readPieces(body[end-length : end])
	if err != nil {
		return err
	}
	at := int64(0)
	for _, p := range slices.Concat(p.frames, p.parts[:]) {
		if at += p.length; at > int64(end-length) || crc32.Checksum(body[p.from:at], castagnoli) != p.sum {
			return errBlock
		}
	}
	if at != int64(end-length) {
		return errBlock
	}
	return nil
}

// packUsers returns the users of the rows of a block.
func (k *packer) packUsers(users []string) []byte {
	b := []byte(strings.Join(users, "\x00"))
	return k.columns.Compress([]byte{blockVersion}, b)
}

// readUsers is the inverse of packUsers.
func readUsers(b []byte, rows int) ([]string, error) {
	text, err := unpack(b)
	if err != nil {
		return nil, err
	}
	users := strings.Split(string(text), "\x00")
	if len(users) != rows {
		return nil, errBlock
	}
	return users, nil
}

// object is where the pieces of a remote block are.
type object struct {
	key string
	pieces
}

const objectsOfBlocks = `-- block.objectsOfBlocks
SELECT block_id, object, pieces FROM block_objects WHERE block_id IN `

// objectsOf returns the objects of remote blocks. Those with a damaged list have no pieces.
func (s *Store) objectsOf(ctx context.Context, q db.Querier, blocks []int64) (map[int64]*object, error) {
	objects := make(map[int64]*object, len(blocks))
	if len(blocks) == 0 {
		return objects, nil
	}
	list, ids := db.In(s.db, 1, blocks)
	rows, err := q.QueryContext(ctx, s.db.Text(objectsOfBlocks+list), ids...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id int64
		var o object
		var list []byte
		if err := rows.Scan(&id, &o.key, &list); err != nil {
			return err
		}
		o.pieces, _ = readPieces(list)
		objects[id] = &o
		return nil
	})
	return objects, db.Wrap("find objects of blocks", err)
}

// objectOf returns the object of a remote block.
func (s *Store) objectOf(ctx context.Context, q db.Querier, block int64) (*object, error) {
	objects, err := s.objectsOf(ctx, q, []int64{block})
	if err != nil {
		return nil, err
	}
	if o := objects[block]; o != nil && o.frames != nil {
		return o, nil
	}
	return nil, errBlock
}

// ErrNoObjects says that a block is in object storage, and that this process has none.
var ErrNoObjects = errors.New("no object storage is set")

// AwayAgain is when a reader may try again to read from object storage.
const AwayAgain = 10 * time.Second

// away returns the error of what cannot be read from object storage now.
func away(err error) error {
	message := "These events are in object storage, which does not respond. Try again in a moment."
	if errors.Is(err, ErrNoObjects) {
		message = "These events are in object storage, and this server was started without --blocks. Its operator has to set that again, or to bring the events home with sett blocks home."
	}
	return fmt.Errorf("%w: %w", &sett.Error{Code: sett.Unavailable, Message: message, RetryAfter: AwayAgain}, err)
}

// read returns a piece of an object. In a snapshot, what is not at hand is fetched later; see db.Fetched.
func (s *Store) read(ctx context.Context, q db.Querier, o *object, p piece) ([]byte, error) {
	if p.length == 0 {
		return nil, errBlock
	}
	if s.Objects != nil {
		if b, ok := s.Objects.Kept(o.key, p.from, p.length); ok && p.holds(b) {
			return b, nil
		}
	}
	return db.Fetched(ctx, q, fmt.Sprintf("%s %d", o.key, p.from), func(ctx context.Context) ([]byte, error) { return s.fetch(ctx, o, p) })
}

// fetch gets a piece of an object. It must not be called in a transaction.
func (s *Store) fetch(ctx context.Context, o *object, p piece) ([]byte, error) {
	if s.Objects == nil {
		return nil, away(ErrNoObjects)
	}
	b, err := s.Objects.Get(ctx, o.key, p.from, p.length)
	if err != nil {
		return nil, away(err)
	}
	if !p.holds(b) {
		return nil, away(fmt.Errorf("%w: %s at %d", errBlock, o.key, p.from))
	}
	return b, nil
}

// body is a numbered row of block_payloads or block_parts, or the piece that stands for it.
type body struct {
	number int
	body   []byte
}

// frames returns the frames of a block.
func (s *Store) frames(ctx context.Context, q db.Querier, b *held) ([]body, error) {
	if !b.remote {
		return s.bodies(ctx, q, readFrames, b.id)
	}
	o, err := s.objectOf(ctx, q, b.id)
	if err != nil {
		return nil, err
	}
	return s.readAll(ctx, q, o, o.frames)
}

// parts returns the parts of a block.
func (s *Store) parts(ctx context.Context, q db.Querier, b *held) ([]body, error) {
	if !b.remote {
		return s.bodies(ctx, q, readBlockParts, b.id)
	}
	o, err := s.objectOf(ctx, q, b.id)
	if err != nil {
		return nil, err
	}
	return s.readAll(ctx, q, o, o.pieces.parts[:])
}

// part returns a part of a block; nil if it has none with that number.
func (s *Store) part(ctx context.Context, q db.Querier, b *held, number int) ([]byte, error) {
	if b.remote {
		o, err := s.objectOf(ctx, q, b.id)
		if err != nil || o.pieces.parts[number].length == 0 {
			return nil, err
		}
		return s.read(ctx, q, o, o.pieces.parts[number])
	}
	var body []byte
	err := q.QueryRowContext(ctx, s.db.Text(partOfBlock), b.id, number).Scan(&body)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return body, err
}

// partOfEach returns the part with a number of some blocks, of those that have one.
func (s *Store) partOfEach(ctx context.Context, q db.Querier, number int, blocks map[int64]*held) (parts map[int64][]byte, err error) {
	var local, remote []int64
	for _, id := range db.Sorted(blocks, cmp.Compare) {
		if blocks[id].remote {
			remote = append(remote, id)
		} else {
			local = append(local, id)
		}
	}
	if parts, err = s.localParts(ctx, q, number, local); err != nil {
		return nil, err
	}
	objects, err := s.objectsOf(ctx, q, remote)
	if err != nil {
		return nil, err
	}
	var later error
	for _, id := range remote {
		o := objects[id]
		if o == nil || o.frames == nil {
			return nil, fmt.Errorf("block %d: %w", id, errBlock)
		}
		p := o.pieces.parts[number]
		if p.length == 0 {
			continue
		}
		if parts[id], err = s.read(ctx, q, o, p); errors.Is(err, db.ErrLater) {
			later = err
		} else if err != nil {
			return nil, err
		}
	}
	return parts, later
}

const partsOfBlocks = `-- block.partsOfBlocks
SELECT block_id, body FROM block_parts WHERE number = $1 AND block_id IN `

// localParts returns the part with a number of some blocks in the database, of those that have one.
func (s *Store) localParts(ctx context.Context, q db.Querier, number int, blocks []int64) (parts map[int64][]byte, err error) {
	parts = make(map[int64][]byte, len(blocks))
	if len(blocks) == 0 {
		return parts, nil
	}
	list, ids := db.In(s.db, 2, blocks)
	rows, err := q.QueryContext(ctx, s.db.Text(partsOfBlocks+list), append([]any{number}, ids...)...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id int64
		var body []byte
		err := rows.Scan(&id, &body)
		parts[id] = body
		return err
	})
	return parts, err
}

// frame returns a frame of a block; nil if it has none with that number.
func (s *Store) frame(ctx context.Context, q db.Querier, b *held, number int) ([]byte, error) {
	if b.remote {
		o, err := s.objectOf(ctx, q, b.id)
		if err != nil || number >= len(o.pieces.frames) {
			return nil, err
		}
		return s.read(ctx, q, o, o.pieces.frames[number])
	}
	var body []byte
	err := q.QueryRowContext(ctx, s.db.Text(framesOf), b.id, number).Scan(&body)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return body, err
}

// readAll returns pieces of an object. It asks for all of them before it fails, so that they are fetched together.
func (s *Store) readAll(ctx context.Context, q db.Querier, o *object, all []piece) (bodies []body, err error) {
	for number, p := range all {
		if p.length == 0 {
			continue
		}
		b, failed := s.read(ctx, q, o, p)
		if failed != nil && (err == nil || errors.Is(err, db.ErrLater)) {
			err = failed
		}
		bodies = append(bodies, body{number, b})
	}
	return bodies, err
}

// bodies returns the rows of a statement about a block.
func (s *Store) bodies(ctx context.Context, q db.Querier, statement string, block int64) (all []body, err error) {
	rows, err := q.QueryContext(ctx, s.db.Text(statement), block)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var b body
		err := rows.Scan(&b.number, &b.body)
		all = append(all, b)
		return err
	})
	return all, err
}
