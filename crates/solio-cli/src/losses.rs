//! What an output does not hold of an input, for people and for programs.

use crate::screen;
use crate::terminal;
use serde_json::{Value, json};
use solio::Losses;
use std::path::Path;

/// Says what is lost, a line each.
pub(crate) fn say(input: &Path, losses: &Losses) {
    for loss in losses {
        screen::complain(&format!("note: {}: {}", terminal::told(input), loss.sentence(flag)));
    }
}

/// The same for programs.
pub(crate) fn to_json(losses: &Losses) -> Value {
    let one = |loss: &solio::Loss| {
        json!({
            "what": loss.what,
            "reason": loss.reason,
            "count": loss.amount.map(|(count, _)| count),
            "unit": loss.amount.map(|(_, unit)| unit),
            "example": loss.example,
            "option": loss.option.map(flag),
        })
    };
    losses.iter().map(one).collect()
}

/// What the command calls an option.
fn flag(option: &str) -> String {
    match option {
        // As in Blender's exporter.
        "stl_batch" => "--use-batch".into(),
        option => format!("--{}", option.replace('_', "-")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::CommandFactory;
    use solio::mesh::{Mesh, Object, Positions, Scene};

    #[test]
    fn options_that_keep_something_are_options() {
        let objects = ["a", "b"].map(|name| Object { name: name.into(), ..Object::default() });
        let positions = Positions::F32(vec![[0.1, 1e-9, 0.3]].into());
        let mesh = Mesh { positions, objects: objects.into(), ..Mesh::default() };
        let scene = Scene { meshes: vec![mesh], ..Scene::default() };
        let mut root = Cli::command();
        root.build();
        let convert = root.find_subcommand("convert").unwrap();
        let mut found = 0;
        for path in ["a.obj", "a.stl"] {
            let (options, work) = Default::default();
            let losses = solio::mesh_losses(&scene, path.as_ref(), &options, &work).unwrap();
            for option in losses.iter().filter_map(|loss| loss.option) {
                let long = flag(option);
                assert!(
                    convert.get_arguments().any(|arg| arg.get_long() == long.strip_prefix("--"))
                );
                found += 1;
            }
        }
        assert_eq!(found, 2);
        for option in ["bits", "export_object_groups", "float_colors", "frame", "raw"] {
            let long = flag(option);
            assert!(convert.get_arguments().any(|arg| arg.get_long() == long.strip_prefix("--")));
        }
    }
}
