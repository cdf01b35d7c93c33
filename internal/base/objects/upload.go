package objects

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/minio/minio-go/v7"
)

// Large objects are sent and received in parts, each with a time of its own, so that neither memory nor a lost connection bounds them.
const (
	leastPart = 8 << 20 // bytes; S3 takes no smaller one than 5 MiB, but the last
	mostParts = 9_000   // S3 takes 10,000
	tries     = 4       // of one part
	abortTime = 30 * time.Second
)

// partTime is how long one try to send or receive so many bytes may last: 50 kB/s are enough.
func partTime(size int) time.Duration {
	return max(time.Minute, time.Duration(size/50_000)*time.Second)
}

// restAfter is how long is waited after so many tries of a part that failed.
func restAfter(failed int) time.Duration { return time.Second << (2 * failed) } // 4, 16, 64 seconds

// rest waits.
func rest(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// passing reports whether an error of object storage may pass by itself.
func passing(err error) bool {
	r := minio.ErrorResponse{}
	if !errors.As(err, &r) { // no answer
		return true
	}
	return advice[r.Code] == "" && (r.StatusCode >= http.StatusInternalServerError || r.StatusCode == http.StatusTooManyRequests || r.StatusCode == http.StatusRequestTimeout)
}

// again runs a call, and tries it again where that may help; limit is the time of one try.
func (c *Client) again(ctx context.Context, what, key string, limit time.Duration, f func(context.Context) error) error {
	for failed := 1; ; failed++ {
		err := c.do(ctx, what, key, limit, f)
		if err == nil || ctx.Err() != nil || failed == tries || !passing(err) {
			return err
		}
		if err := c.Rest(ctx, restAfter(failed)); err != nil {
			return err
		}
	}
}

// upload is an object that is being sent.
type upload struct {
	*Client
	ctx context.Context //nolint:containedctx // a writer is given none
	key string
	id  string
	own string // a random mark of the object, by which it is known from an earlier one

	part  []byte // what is not sent yet
	done  []minio.CompletePart
	bytes int64
}

// ownMark is the name of the metadata with the mark of an upload.
const ownMark = "Sett-Upload"

// Upload stores what write writes, at most about so many bytes, as an object, and returns its size. An object appears only when all of it is there, and then
// replaces an earlier one: where write fails or ctx ends, there is nothing, and what was sent is deleted.
func (c *Client) Upload(ctx context.Context, key string, most int64, write func(io.Writer) error) (size int64, err error) {
	u := &upload{Client: c, ctx: ctx, key: key, own: rand.Text(), part: make([]byte, 0, max(leastPart, most/mostParts))}
	o := minio.PutObjectOptions{ContentType: "application/octet-stream", UserMetadata: map[string]string{ownMark: u.own}}
	err = c.again(ctx, "write", key, putTime, func(ctx context.Context) (err error) {
		u.id, err = c.core.NewMultipartUpload(ctx, c.Bucket, c.Prefix+key, o)
		return err
	})
	if err != nil {
		return 0, err
	}
	if err = write(u); err == nil {
		err = u.complete()
	}
	if err == nil {
		return u.bytes, nil
	}
	if failed := c.abort(context.WithoutCancel(ctx), key, u.id); failed != nil {
		err = fmt.Errorf("%w; the parts that were sent could not be deleted: %w", err, failed)
	}
	return 0, err
}

// Write takes bytes, and sends each part that is full.
func (u *upload) Write(p []byte) (n int, err error) {
	for len(p) > 0 {
		some := min(len(p), cap(u.part)-len(u.part))
		u.part = append(u.part, p[:some]...)
		p, n = p[some:], n+some
		if len(u.part) == cap(u.part) {
			if err := u.send(); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// send sends the part.
func (u *upload) send() error {
	sum, number := sha256.Sum256(u.part), len(u.done)+1
	o := minio.PutObjectPartOptions{Sha256Hex: hex.EncodeToString(sum[:])}
	err := u.again(u.ctx, "write", u.key, partTime(len(u.part)), func(ctx context.Context) error {
		part, err := u.core.PutObjectPart(ctx, u.Bucket, u.Prefix+u.key, u.id, number, bytes.NewReader(u.part), int64(len(u.part)), o)
		if err == nil {
			u.done = append(u.done, minio.CompletePart{PartNumber: number, ETag: part.ETag})
		}
		return err
	})
	u.bytes += int64(len(u.part))
	u.part = u.part[:0]
	return err
}

// complete makes the parts the object, and makes sure that it is there with its size. When the answer to an earlier try was lost, the upload is no longer
// known, but the object has its mark.
func (u *upload) complete() error {
	if err := u.send(); err != nil {
		return err
	}
	return u.again(u.ctx, "complete", u.key, 2*putTime, func(ctx context.Context) error {
		_, err := u.core.CompleteMultipartUpload(ctx, u.Bucket, u.Prefix+u.key, u.id, u.done, minio.PutObjectOptions{})
		lost := noSuchUpload(err)
		if err != nil && !lost {
			return err
		}
		info, failed := u.core.StatObject(ctx, u.Bucket, u.Prefix+u.key, minio.StatObjectOptions{})
		switch {
		case failed != nil:
			return failed
		case lost && info.UserMetadata[ownMark] != u.own:
			return err
		case info.Size != u.bytes:
			return fmt.Errorf("%d bytes are stored instead of %d", info.Size, u.bytes)
		}
		return nil
	})
}

func noSuchUpload(err error) bool {
	r := minio.ErrorResponse{}
	return errors.As(err, &r) && r.Code == "NoSuchUpload"
}

// abort deletes what was sent of an upload.
func (c *Client) abort(ctx context.Context, key, id string) error {
	err := c.do(ctx, "abort the upload of", key, abortTime, func(ctx context.Context) error {
		return c.core.AbortMultipartUpload(ctx, c.Bucket, c.Prefix+key, id)
	})
	if noSuchUpload(err) {
		return nil
	}
	return err
}

// AbortUploads deletes what was sent of uploads that began before a time and never ended, because their process was killed, and returns how many there
// were. Only those count whose keys mine accepts.
func (c *Client) AbortUploads(ctx context.Context, before time.Time, mine func(key string) bool) (n int, err error) {
	var found []minio.ObjectMultipartInfo
	err = c.do(ctx, "list uploads in", "", getTime, func(ctx context.Context) error {
		page, err := c.core.ListMultipartUploads(ctx, c.Bucket, c.Prefix, "", "", "", pageOfUploads)
		found = page.Uploads
		return err
	})
	for _, u := range found {
		key := u.Key[min(len(c.Prefix), len(u.Key)):]
		if !u.Initiated.Before(before) || !mine(key) {
			continue
		}
		if err := c.abort(ctx, key, u.UploadID); err != nil {
			return n, err
		}
		n++
	}
	return n, err
}

// pageOfUploads is how many uploads are looked at, at most.
const pageOfUploads = 1000
