//! GIF: a screen descriptor, then blocks up to the trailer (GIF89a, appendix A).

use crate::cursor::{ViewCursor, damaged};
use crate::{ByteView, ColorModel, ContainerHeader, ContainerReport};
use solio_base::Result;

/// A block; what it holds follows in sub-blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GifBlock {
    /// A picture.
    Image,
    /// An extension with its label.
    Extension(u8),
}

/// The blocks of a file, up to the trailer. Sub-blocks that were not taken are passed over.
///
/// ```
/// use solio_container::{ByteView, gif::{GifBlock, GifBlocks}};
/// let file = b"GIF89a\x05\0\x04\0\0\0\0\x21\xfe\x02hi\0\x3b";
/// let mut blocks = GifBlocks::new(ByteView::memory(file))?;
/// assert_eq!((blocks.header.width, blocks.header.height), (5, 4));
/// assert_eq!(blocks.next_block()?, Some(GifBlock::Extension(0xfe)));
/// assert_eq!(blocks.next_part()?.unwrap().array(0), Some(*b"hi"));
/// assert_eq!(blocks.next_block()?, None);
/// # Ok::<(), solio_base::Error>(())
/// ```
pub struct GifBlocks<'a> {
    /// The size of the screen, and how many bits an index into the palette has.
    pub header: ContainerHeader,
    file: ViewCursor<'a>,
    /// What has sub-blocks that were not taken.
    within: Option<&'static str>,
}

impl<'a> GifBlocks<'a> {
    /// Those of a file.
    ///
    /// # Errors
    /// `Corrupt` for a file that ends before the first block.
    pub fn new(view: ByteView<'a>) -> Result<Self> {
        let mut file = ViewCursor::new(view, 6);
        let [w0, w1, h0, h1, flags, _, _] = file.take("the screen descriptor")?;
        let header = ContainerHeader {
            width: u16::from_le_bytes([w0, w1]).into(),
            height: u16::from_le_bytes([h0, h1]).into(),
            bits: u16::from(flags & 7) + 1,
            channels: 1,
            color: ColorModel::Palette,
            ..ContainerHeader::default()
        };
        let mut blocks = GifBlocks { header, file, within: None };
        blocks.pass_colors(flags)?;
        Ok(blocks)
    }

    /// Passes over a colour table, where the flags say that there is one.
    fn pass_colors(&mut self, flags: u8) -> Result<()> {
        let colors = if flags & 0x80 != 0 { 2u64 << (flags & 7) } else { 0 };
        self.file.skip(3 * colors, "a table of colours")
    }

    /// The next block; `None` is the trailer.
    ///
    /// # Errors
    /// `Corrupt` where the file ends first, or where no block starts.
    pub fn next_block(&mut self) -> Result<Option<GifBlock>> {
        while self.next_part()?.is_some() {}
        let at = self.file.at;
        match self.file.take("the blocks")? {
            [0x21] => {
                let [label] = self.file.take("an extension")?;
                self.within = Some("an extension");
                Ok(Some(GifBlock::Extension(label)))
            }
            [0x2c] => {
                let [_, _, _, _, _, _, _, _, flags] = self.file.take("an image descriptor")?;
                self.pass_colors(flags)?;
                self.file.skip(1, "the pixels")?;
                self.within = Some("the pixels");
                Ok(Some(GifBlock::Image))
            }
            [0x3b] => Ok(None),
            [other] => Err(damaged(format!("no block starts with the byte {other:#04x}"), at)),
        }
    }

    /// The next sub-block of the block; `None` behind the last.
    ///
    /// # Errors
    /// `Corrupt` where the file ends first.
    pub fn next_part(&mut self) -> Result<Option<ByteView<'a>>> {
        let Some(what) = self.within else { return Ok(None) };
        let [len] = self.file.take(what)?;
        let start = self.file.at;
        self.file.skip(len.into(), what)?;
        self.within = self.within.filter(|_| len > 0);
        Ok(self.within.map(|_| self.file.view.part(start, len.into())))
    }
}

/// Checks all blocks.
pub(crate) fn check(view: ByteView<'_>) -> Result<ContainerReport> {
    let mut blocks = GifBlocks::new(view)?;
    let found = blocks.header.pixels();
    while blocks.next_block()?.is_some() {}
    let mut report = ContainerReport { found, ..ContainerReport::default() };
    report.note_rest(view.from(blocks.file.at));
    Ok(report)
}
