//! Whether the numbers of an unpacked scene lead to something that is there: then whoever uses it
//! need not ask.

use super::array::is_index;
use crate::pbrt::{Span, Statements, Values};
use crate::scene::{Entity, NONE, Scene};

type Fault = &'static str;

/// What a scene has at most once, beside the camera, in the order of the file.
pub(super) fn once(scene: &Scene) -> [&Option<Entity>; 5] {
    [&scene.film, &scene.sampler, &scene.filter, &scene.integrator, &scene.accelerator]
}

/// Looks at all numbers of a scene but those of [`values`].
pub(super) fn check(scene: &Scene) -> Result<(), Fault> {
    let entity = |entity: &Entity| entity_fits(scene, entity);
    let matrix = |number: u32| match (number as usize) < scene.matrices.len() {
        true => Ok(()),
        false => Err("a matrix that is not there"),
    };
    let medium = |number: u32| match is_index(number, scene.media.len()) {
        true => Ok(()),
        false => Err("a medium that is not there"),
    };
    if let Some(camera) = &scene.camera {
        entity(&camera.entity)?;
        medium(camera.medium)?;
    }
    once(scene).into_iter().flatten().chain(&scene.options).try_for_each(entity)?;
    for (i, attribute) in scene.attributes.iter().enumerate() {
        entity(attribute)?;
        // So chains of them end.
        if attribute.inherited != NONE && attribute.inherited as usize >= i {
            return Err("attributes that follow from later ones");
        }
    }
    for shape in &scene.shapes {
        entity(&shape.entity)?;
        matrix(shape.matrix)?;
        matrix(shape.matrix_end)?;
        medium(shape.inside)?;
        medium(shape.outside)?;
        if !is_index(shape.material, scene.materials.len()) {
            return Err("a material that is not there");
        }
        if !is_index(shape.area_light, scene.area_lights.len()) {
            return Err("a light of a shape that is not there");
        }
    }
    for material in &scene.materials {
        material.entity.iter().try_for_each(entity)?;
    }
    for texture in &scene.textures {
        entity(&texture.entity)?;
        matrix(texture.matrix)?;
    }
    for known in &scene.media {
        known.entity.iter().try_for_each(entity)?;
        matrix(known.matrix)?;
    }
    for light in &scene.lights {
        entity(&light.entity)?;
        matrix(light.matrix)?;
        matrix(light.matrix_end)?;
        medium(light.medium)?;
    }
    scene.area_lights.iter().try_for_each(entity)?;
    objects(scene)
}

fn objects(scene: &Scene) -> Result<(), Fault> {
    let shapes = scene.shapes.len();
    let fits = |start: u32, end: u32| start <= end && end as usize <= shapes;
    let all_fit = scene.objects.iter().all(|o| fits(o.shapes.start, o.shapes.end));
    if !fits(0, scene.world_shapes) || !all_fit {
        return Err("shapes of an object that are not there");
    }
    let instances = &scene.instances;
    if instances.objects.iter().any(|object| *object as usize >= scene.objects.len()) {
        return Err("an instance of an object that is not there");
    }
    let count = instances.objects.len();
    let mut next = 0;
    for (instance, _) in &instances.moving {
        if (*instance as usize) < next || *instance as usize >= count {
            return Err("instances that move do not rise");
        }
        next = *instance as usize + 1;
    }
    let mut next = 0;
    for (instance, file) in &instances.files {
        if (*instance as usize) < next || *instance as usize >= count {
            return Err("files of instances do not rise");
        }
        if *file as usize >= scene.files.len() {
            return Err("instances of a file that is not there");
        }
        next = *instance as usize + 1;
    }
    if count > 0 && instances.files.first().is_none_or(|first| first.0 != 0) {
        return Err("the file of the first instance is missing");
    }
    Ok(())
}

fn entity_fits(scene: &Scene, entity: &Entity) -> Result<(), Fault> {
    let Some(kept) = scene.kept.get(entity.kept as usize) else {
        return Err("values that are not there");
    };
    if !fits(entity.class, kept.text.len()) || !fits(entity.parameters, kept.parameters.len()) {
        return Err("a class or parameters that are not there");
    }
    if !is_index(entity.inherited, scene.attributes.len()) {
        return Err("attributes that are not there");
    }
    Ok(())
}

fn fits(span: Span, count: usize) -> bool {
    span.start <= span.end && span.end as usize <= count
}

/// Looks at the numbers of values.
pub(super) fn values(kept: &Statements) -> Result<(), Fault> {
    for parameter in &kept.parameters {
        let values = match parameter.values {
            Values::Floats(span) => fits(span, kept.floats.len()),
            Values::Integers(span) | Values::Bools(span) => fits(span, kept.integers.len()),
            Values::Strings(span) => fits(span, kept.strings.len()),
        };
        if !values || !fits(parameter.name, kept.text.len()) {
            return Err("a name or values of a parameter that are not there");
        }
    }
    if kept.strings.iter().any(|string| !fits(*string, kept.text.len())) {
        return Err("the text of a string that is not there");
    }
    Ok(())
}
