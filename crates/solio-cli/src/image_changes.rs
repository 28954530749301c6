//! From what was typed about pixels to what the engine does with them.

use crate::args::ChangeArgs;
use solio::{ImageChanges, ResizeOptions};

pub(crate) fn changes(args: &ChangeArgs) -> ImageChanges {
    let nearest = args.nearest.as_ref().map(|names| {
        let names = names.iter().filter(|name| !name.is_empty());
        names.cloned().collect()
    });
    let resize = args.resize.map(|size| ResizeOptions { size, filter: args.filter, nearest });
    ImageChanges { view: args.view.clone(), flatten: args.flatten, resize, mipmap: args.mipmap }
}
