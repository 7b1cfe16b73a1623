package plots

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"hash/crc32"
	"image/png"
	"slices"
	"sync"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"ratelab/internal/atomicfile"
)

// pngDPI is the resolution of PNG files.
const pngDPI = 300

// Formats are the kinds of files that [Save] writes.
var Formats = []string{"svg", "pdf", "png"}

// Save draws a figure and writes basePath.svg, basePath.pdf and basePath.png (300 DPI), or those of the Formats that are
// named, each whole or not at all. The same figure gives the same bytes on every run; nothing is written if it cannot be
// drawn.
func Save(f Figure, basePath string, formats ...string) error {
	type file struct {
		extension string
		render    func(Figure, *layout) ([]byte, error)
		content   []byte
	}
	l, err := f.layout()
	if err != nil {
		return err
	}
	files := []file{{extension: ".svg", render: svg}, {extension: ".pdf", render: pdf}, {extension: ".png", render: image}}
	if len(formats) > 0 {
		files = slices.DeleteFunc(files, func(f file) bool { return !slices.Contains(formats, f.extension[1:]) })
	}
	for i := range files {
		content, err := files[i].render(f, l)
		if err != nil {
			return err
		}
		files[i].content = content
	}
	for _, file := range files {
		if err := atomicfile.WriteBytes(basePath+file.extension, file.content); err != nil {
			return err
		}
	}
	return nil
}

func render(f Figure, as func(Figure, *layout) ([]byte, error)) ([]byte, error) {
	l, err := f.layout()
	if err != nil {
		return nil, err
	}
	return as(f, l)
}

// SVG draws a figure as an SVG document, whose title and description are the alternative text.
func SVG(f Figure) ([]byte, error) { return render(f, svg) }

func svg(f Figure, l *layout) ([]byte, error) {
	canvas := vgsvg.New(l.width, l.height)
	if err := f.paint(l, &outline{Canvas: canvas}); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return nil, fmt.Errorf("figure %q: svg: %w", f.Name, err)
	}
	alt := f.Alt
	if alt == "" {
		alt = f.Subtitle
	}
	// The canvas has no way to describe its document: the words go in after its opening tag.
	document := out.Bytes()
	tag := bytes.Index(document, []byte("<svg "))
	end := tag + bytes.IndexByte(document[max(tag, 0):], '>') + 1
	if tag < 0 || end <= tag {
		return nil, fmt.Errorf("figure %q: svg: the canvas wrote no <svg> tag", f.Name)
	}
	var described bytes.Buffer
	described.Write(document[:tag])
	described.WriteString(`<svg role="img" `)
	described.Write(document[tag+len("<svg ") : end])
	for _, e := range []struct{ name, text string }{{"title", f.Title}, {"desc", alt}} {
		fmt.Fprintf(&described, "\n<%s>", e.name)
		if err := xml.EscapeText(&described, []byte(e.text)); err != nil {
			return nil, fmt.Errorf("figure %q: svg: %w", f.Name, err)
		}
		fmt.Fprintf(&described, "</%s>", e.name)
	}
	described.Write(document[end:])
	return described.Bytes(), nil
}

// fixPDF makes PDF files free of the time of day and of map order. The settings belong to the library as a whole.
var fixPDF = sync.OnceFunc(func() {
	epoch := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	fpdf.SetDefaultCreationDate(epoch)
	fpdf.SetDefaultModificationDate(epoch)
	fpdf.SetDefaultCatalogSort(true)
})

// PDF draws a figure as a PDF document of one page, of the size of the figure.
func PDF(f Figure) ([]byte, error) { return render(f, pdf) }

func pdf(f Figure, l *layout) ([]byte, error) {
	fixPDF()
	canvas := vgpdf.New(l.width, l.height)
	canvas.EmbedFonts(false) // text is outlines
	if err := f.paint(l, &outline{Canvas: canvas, straight: true}); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return nil, fmt.Errorf("figure %q: pdf: %w", f.Name, err)
	}
	return out.Bytes(), nil
}

// PNG draws a figure as a PNG image of 300 dots per inch.
func PNG(f Figure) ([]byte, error) { return render(f, image) }

func image(f Figure, l *layout) ([]byte, error) {
	canvas := vgimg.NewWith(vgimg.UseWH(l.width, l.height), vgimg.UseDPI(pngDPI))
	if err := f.paint(l, &outline{Canvas: canvas}); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed} // the default takes twice as long for 4 % fewer bytes
	if err := encoder.Encode(&out, canvas.Image()); err != nil {
		return nil, fmt.Errorf("figure %q: png: %w", f.Name, err)
	}
	return withResolution(out.Bytes()), nil
}

// withResolution adds the chunk that tells the size in print (pHYs, PNG 1.2 section 11.3.5.3). It follows the first
// chunk, which always takes the bytes from 8 to 33.
func withResolution(picture []byte) []byte {
	const perMetre = 11811 // 300 dots per inch
	chunk := []byte("pHYs")
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = append(chunk, 1) // the unit is the metre
	out := append([]byte(nil), picture[:33]...)
	out = binary.BigEndian.AppendUint32(out, uint32(len(chunk)-4))
	out = append(out, chunk...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
	return append(out, picture[33:]...)
}

func (f Figure) paint(l *layout, o *outline) error {
	l.draw(o)
	if o.err != nil {
		return fmt.Errorf("figure %q: %w", f.Name, o.err)
	}
	return nil
}
