"""Many runs: grids, and reports over flops."""
