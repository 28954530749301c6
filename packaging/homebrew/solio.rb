# The command, built from the source of a release.
class Solio < Formula
  desc "Fast reader, writer, converter and validator for meshes, OpenEXR and photo metadata"
  homepage "https://github.com/solio-io/solio"
  url "https://github.com/solio-io/solio/releases/download/v@VERSION@/solio-@VERSION@-source.tar.gz"
  sha256 "@SHA256 solio-@VERSION@-source.tar.gz@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args(path: "crates/solio-cli")
    generate_completions_from_executable(bin/"solio", "completions", shells: [:bash, :zsh, :fish])
    system bin/"solio", "man", buildpath/"man"
    man1.install Dir["man/*.1"]
  end

  test do
    (testpath/"triangle.obj").write("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    system bin/"solio", "convert", "triangle.obj", "-o", "triangle.ply", "--progress", "none"
    assert_equal "ply", (testpath/"triangle.ply").read(3)
  end
end
