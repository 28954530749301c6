//! Mesh.
