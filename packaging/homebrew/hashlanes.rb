class Hashlanes < Formula
  desc "Checksums of many files side by side, in the SIMD lanes of every core"
  homepage "@REPOSITORY@"
  url "@DOWNLOADS@/hashlanes-v@VERSION@-source.tgz"
  sha256 "@sha256:hashlanes-v@VERSION@-source.tgz@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args(path: "crates/hashlanes-cli", features: ["objects", "slh-dsa", "lab"])
    system bin/"hashlanes", "man", buildpath/"man"
    man1.install Dir["man/*.1"]
    system bin/"hashlanes", "install-completions", "--dir", buildpath/"completions"
    bash_completion.install "completions/hashlanes.bash" => "hashlanes"
    zsh_completion.install "completions/_hashlanes"
    fish_completion.install "completions/hashlanes.fish"
  end

  test do
    (testpath/"abc").write "abc"
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert_match digest, shell_output("#{bin}/hashlanes sum abc")
  end
end
