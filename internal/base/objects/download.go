package objects

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/minio/minio-go/v7"
)

// download is an object that is being read from its beginning to its end.
type download struct {
	*Client
	ctx context.Context //nolint:containedctx // a reader is given none
	key string

	etag string // of the object, so that all parts are of the same one
	size int64
	next int64  // where the next part begins
	part []byte // what is received and not read yet
}

// firstPart is how many bytes are received first, which may be all that the reader wants.
const firstPart = 64 << 10

// Open returns an object to be read, however large it is: it is received in parts, of which one is in memory. An object that is replaced meanwhile is an
// error.
func (c *Client) Open(ctx context.Context, key string) (io.Reader, error) {
	d := &download{Client: c, ctx: ctx, key: key}
	if err := d.receive(firstPart); err != nil {
		return nil, err
	}
	return d, nil
}

func (d *download) Read(p []byte) (n int, err error) {
	if len(d.part) == 0 {
		if d.next == d.size {
			return 0, io.EOF
		}
		if err := d.receive(leastPart); err != nil {
			return 0, err
		}
	}
	n = copy(p, d.part)
	d.part = d.part[n:]
	return n, nil
}

// receive receives the next part, of most bytes at most.
func (d *download) receive(most int64) error {
	return d.again(d.ctx, reading, d.key, partTime(int(most)), func(ctx context.Context) error {
		var o minio.GetObjectOptions
		err := o.SetRange(d.next, d.next+most-1)
		if d.etag != "" {
			err = errors.Join(err, o.SetMatchETag(d.etag))
		}
		if err != nil {
			return err
		}
		r, info, header, err := d.core.GetObject(ctx, d.Bucket, d.Prefix+d.key, o)
		if d.next == 0 && minio.ToErrorResponse(err).Code == "InvalidRange" { // it is empty
			return nil
		}
		if err != nil {
			return err
		}
		defer r.Close()
		if d.next == 0 && info.Size == 0 { // other servers say so
			return nil
		}
		size, err := sizeOf(header.Get("Content-Range"))
		if err != nil {
			return err
		}
		length := min(most, size-d.next)
		part, err := io.ReadAll(io.LimitReader(r, length+1))
		if err == nil && int64(len(part)) != length {
			err = fmt.Errorf("%d bytes came instead of %d", len(part), length)
		}
		if err == nil {
			d.part, d.next, d.size, d.etag = part, d.next+length, size, info.ETag
		}
		return err
	})
}

// sizeOf returns the size of an object of which a part has come: "bytes 0-99/1234" (RFC 9110, 14.4).
func sizeOf(contentRange string) (size int64, err error) {
	_, total, _ := strings.Cut(contentRange, "/")
	if size, err = strconv.ParseInt(total, 10, 64); err != nil || size < 0 {
		return 0, fmt.Errorf("a part came of %q", contentRange)
	}
	return size, nil
}

// Keys calls each with the keys that begin with a text, in their order, until it returns false. Those with a slash behind it are left out.
func (c *Client) Keys(ctx context.Context, begin string, each func(key string) bool) error {
	return c.do(ctx, "list", begin+"*", listTime, func(ctx context.Context) error {
		for o := range c.core.ListObjectsIter(ctx, c.Bucket, minio.ListObjectsOptions{Prefix: c.Prefix + begin}) {
			if o.Err != nil {
				return o.Err
			}
			if len(o.Key) > len(c.Prefix) && o.Key[len(o.Key)-1] != '/' && !each(o.Key[len(c.Prefix):]) {
				return nil
			}
		}
		return nil
	})
}

// IsPrefix reports whether there are objects below a key: s3://bucket/prefix/key/name.
func (c *Client) IsPrefix(ctx context.Context, key string) (is bool, err error) {
	err = c.do(ctx, "list", key+"/*", listTime, func(ctx context.Context) error {
		for o := range c.core.ListObjectsIter(ctx, c.Bucket, minio.ListObjectsOptions{Prefix: c.Prefix + key + "/", MaxKeys: 1}) {
			if o.Err != nil || is {
				return o.Err
			}
			is = true
		}
		return nil
	})
	return is, err
}
